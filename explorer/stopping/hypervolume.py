"""The whole sweep ends when its front has not grown for a while."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from explorer.goals import Goal, minimised
from explorer.stopping.stopper import Histories, Stopper
from explorer.words import counted
from trainables.family import require

__all__ = ["HypervolumePlateau"]


@dataclass(frozen=True)
class HypervolumePlateau(Stopper):
    """No trial begins any more once the last ``patience`` that finished added at most ``margin`` of the hypervolume.

    The volume is that of all finished trials, up to the worst value of each objective among them. Trials that have
    begun are trained to their end.

    Attributes:
        patience: finished trials in a row that must add something.
        margin: share of the hypervolume that counts as something.
    """

    name: ClassVar[str] = "hypervolume"
    patience: int = 20
    margin: float = 0.01

    def check(self) -> None:
        """Patience is positive."""
        require(self.patience >= 1, f"stopping.patience must be ≥ 1, got {self.patience}")
        require(0 <= self.margin < math.inf, f"stopping.margin must be ≥ 0, got {self.margin}")

    def stop(self, histories: Histories, goals: Sequence[Goal]) -> dict[str, str]:
        """Nobody who has begun."""
        return {}

    def enough(self, finished: Sequence[Mapping[str, float]], goals: Sequence[Goal]) -> str | None:
        """Whether the volume stands still. O(N log N) for N trials of up to three objectives."""
        import moocore
        import numpy as np

        if len(finished) <= self.patience:
            return None
        values = minimised(goals, finished)
        early, sound = (part[np.isfinite(part).all(axis=1)] for part in (values[: -self.patience], values))
        if not len(early):
            return None
        worst = sound.max(axis=0)
        before, now = (float(moocore.hypervolume(part, ref=worst)) for part in (early, sound))
        if now > before * (1 + self.margin):
            return None
        last = counted(self.patience, "trial")
        return f"the last {last} added no more than {self.margin:.2%} to the hypervolume of {len(finished)}"
