"""Successive halving for several objectives: at every rung the better half goes on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from explorer.goals import Goal
from explorer.stopping.stopper import Histories, Stopper
from trainables.family import at_most, require

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Halving", "best"]

MOST_RUNGS = 10


@dataclass(frozen=True)
class Halving(Stopper):
    """At rungs, shares ``at`` of the iterations, the best 1/η of the points go on, the others end there.

    Points are ranked by non-dominated sorting, each by the mean of its seeds; of points in one front those come first
    that have most room around them, its ends before all. A point goes on with all of its seeds or with none. It is
    decided when all points have come to the rung, in whichever pack, so that it does not depend on who is quicker; for
    a search that learns, all of a batch, beside those of the batches before it.

    Successive halving: Jamieson and Talwalkar (2016). Fronts in place of one metric: Schmucker et al. (2021).
    """

    name: ClassVar[str] = "halving"
    eta: float = 3.0
    at: tuple[float, ...] = (0.1, 0.8)

    def check(self) -> None:
        """Some go on, some do not."""
        require(1 < self.eta < math.inf, f"stopping.eta must be above 1, got {self.eta:g}")
        rising = all(low < high for low, high in pairwise((0.0, *self.at, 1.0)))
        require(
            bool(self.at) and rising,
            f"stopping.at must be rising shares between 0 and 1, such as [0.1, 0.5], got {list(self.at)}",
        )
        at_most(MOST_RUNGS, **{"the number of rungs in stopping.at": len(self.at)})

    def stop(self, histories: Histories, goals: Sequence[Goal]) -> dict[str, str]:
        """Nobody, as far as one pack can tell."""
        return {}

    def rungs_of(self, iterations: int) -> tuple[int, ...]:
        """The iterations nearest to the shares, those that are none's end."""
        rungs = (round(share * iterations) for share in self.at)
        return tuple(dict.fromkeys(rung for rung in rungs if 0 < rung < iterations))

    def survivors(self, values: Sequence[Sequence[float]], missed: Sequence[float]) -> list[int]:
        """Which of n points go on, ⌈n/η⌉ of them: those that miss no constraint first, then whoever misses least."""
        count = math.ceil(len(values) / self.eta)
        sound = [index for index, much in enumerate(missed) if not much > 0]
        others = sorted(set(range(len(values))) - set(sound), key=lambda index: (missed[index], index))
        if len(sound) <= count:
            return sound + others[: count - len(sound)]
        return [sound[index] for index in best([values[index] for index in sound], count)]


def best(values: Sequence[Sequence[float]], count: int) -> list[int]:
    """``count`` of n points: front by front; of the front that does not fit, those with most room around them.

    O(n² M) for M objectives.
    """
    import moocore
    import numpy as np

    scaled = _scaled(np.asarray(values, dtype=float))
    ranks = moocore.pareto_rank(scaled)
    chosen: list[int] = []
    for rank in sorted(set(ranks)):
        front = np.flatnonzero(ranks == rank)
        if len(chosen) + len(front) > count:
            roomy = np.argsort(-_room(scaled[front]), kind="stable")[: count - len(chosen)]
            return chosen + [int(front[index]) for index in roomy]
        chosen += [int(index) for index in front]
    return chosen


def _scaled(values: np.ndarray) -> np.ndarray:
    """Every objective from 0, its best, to 1, its worst; what is not finite is as bad as the worst."""
    import numpy as np

    finite = np.isfinite(values)
    low = np.min(values, axis=0, where=finite, initial=np.inf)
    high = np.max(values, axis=0, where=finite, initial=-np.inf)
    span = np.where(high > low, high - low, 1.0)
    return np.where(finite, (values - np.where(np.isfinite(low), low, 0.0)) / span, 1.0)


def _room(front: np.ndarray) -> np.ndarray:
    """Crowding distance (Deb et al. 2002): the gap between neighbours, over all objectives; at ends without bound."""
    import numpy as np

    room = np.zeros(len(front))
    for column in front.T:
        order = np.argsort(column, kind="stable")
        span = column[order[-1]] - column[order[0]] or 1.0
        room[order[[0, -1]]] = np.inf
        room[order[1:-1]] += (column[order[2:]] - column[order[:-2]]) / span
    return room
