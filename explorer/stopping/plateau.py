"""A trial ends when none of its goals has improved for a while."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from explorer.goals import Goal
from explorer.stopping.stopper import Histories, Stopper
from explorer.words import counted
from trainables.evaluation.reading import Evaluation
from trainables.family import require

__all__ = ["Plateau"]


@dataclass(frozen=True)
class Plateau(Stopper):
    """Ends a trial after ``patience`` evaluations in which no goal beat its best by more than ``margin``.

    Each trial is judged by itself, so that what becomes of it does not depend on its neighbours.

    Attributes:
        patience: evaluations in a row without a new best after which a trial is ended.
        margin: by how much a goal must beat its best to count.
    """

    name: ClassVar[str] = "plateau"
    patience: int = 3
    margin: float = 0.0

    def check(self) -> None:
        """Patience is positive."""
        require(self.patience >= 1, f"stopping.patience must be ≥ 1, got {self.patience}")
        require(0 <= self.margin < math.inf, f"stopping.margin must be ≥ 0, got {self.margin}")

    def stop(self, histories: Histories, goals: Sequence[Goal]) -> dict[str, str]:
        """Those whose last ``patience`` evaluations improved nothing."""
        ended = {}
        for trial, evaluations in histories.items():
            series = [[_smaller_is_better(goal, e) for e in evaluations] for goal in goals]
            if len(evaluations) > self.patience and not any(self._improved(values) for values in series):
                ended[trial] = f"no goal improved in {counted(self.patience, 'evaluation')}"
        return ended

    def _improved(self, values: Sequence[float]) -> bool:
        """Whether the last ``patience`` values (smaller is better) beat the best before them."""
        return min(values[-self.patience :]) < min(values[: -self.patience]) - self.margin


def _smaller_is_better(goal: Goal, evaluation: Evaluation) -> float:
    """A goal's value with its sign; one that was not measured, or is not a number, is as bad as can be."""
    value = goal.sign * evaluation.metrics.get(goal.metric, math.inf)
    return value if math.isfinite(value) else math.inf
