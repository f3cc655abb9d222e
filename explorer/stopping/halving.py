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
_QUICK = 3
"""Objectives up to which what each point adds to a hypervolume takes no longer than sorting, O(n log n)."""
_ROUNDING = 1e-12
"""What adds no more than that, of volumes about 1, adds as much: processors round otherwise."""


@dataclass(frozen=True)
class Halving(Stopper):
    """At rungs, shares ``at`` of the iterations, the best 1/η of the points go on, the others end there.

    Points are ranked by non-dominated sorting, each by the mean of its seeds; of points in one front those come first
    without which most of its hypervolume would be lost, hence those that lie apart. A point goes on with all of its
    seeds or with none. It is decided when all points have come to the rung, in whichever pack, so that it does not
    depend on who is quicker; for a search that learns, all of a batch, beside those of the batches before it.

    Successive halving: Jamieson and Talwalkar (2016). Fronts in place of one metric: Schmucker et al. (2021).

    Attributes:
        eta: η: one in so many points goes on from a rung.
        at: the rungs, as rising shares of the iterations.
    """

    name: ClassVar[str] = "halving"
    version: ClassVar[int] = 2  # 1: within a front by crowding distance
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
        count = math.ceil(len(values) / self.eta - 1e-9)
        sound = [index for index, much in enumerate(missed) if not much > 0]
        others = sorted(set(range(len(values))) - set(sound), key=lambda index: (missed[index], index))
        if len(sound) <= count:
            return sound + others[: count - len(sound)]
        return [sound[index] for index in best([values[index] for index in sound], count)]


def best(values: Sequence[Sequence[float]], count: int) -> list[int]:
    """``count`` of n points: front by front, and of the front that does not fit those that matter most to it.

    Again and again the point is left out that adds least to the front's hypervolume (Beume, Naujoks and Emmerich 2007),
    which is taken up to as far beyond its worst values as these are from its best. Of more than three objectives, whose
    hypervolume takes long, those stay that have most room around them. O(n² log n) for up to three objectives.

    Points may be equal, where what tells them apart does not act yet, as λ after a first part of training. Of equals,
    and of up to three objectives, those stay that are spread over the order of points: neighbours in a grid are the
    most alike.
    """
    import moocore
    import numpy as np

    scaled = _scaled(np.asarray(values, dtype=float))
    ranks = moocore.pareto_rank(scaled)
    chosen: list[int] = []
    for rank in sorted(set(ranks)):
        front = np.flatnonzero(ranks == rank)
        places = count - len(chosen)
        if len(front) > places:
            own = _scaled(scaled[front])
            quick = own.shape[1] <= _QUICK
            kept = _adding_most(front, own, places, chosen) if quick else _apart(own)[:places]
            return chosen + [int(index) for index in front[kept]]
        chosen += front.tolist()
    return chosen


def _adding_most(front: np.ndarray, values: np.ndarray, count: int, chosen: Sequence[int]) -> np.ndarray:
    """Rows of a front that are left when the least contributor goes, one by one; others are ``chosen`` already."""
    import moocore
    import numpy as np

    if values.shape[1] == 1:  # all are equal
        values = np.repeat(values, 2, axis=1)
    corner = np.full(values.shape[1], 2.0)
    staying = np.arange(len(front))
    while len(staying) > count:
        adds = moocore.hv_contributions(values[staying], ref=corner)
        least = np.flatnonzero(adds <= adds.min() + _ROUNDING)
        if len(least) > 1:
            room = _between(front[staying], chosen)[least]
            least = least[room == room.min()]
        staying = np.delete(staying, least[-1])
    return staying


def _between(places: np.ndarray, others: Sequence[int]) -> np.ndarray:
    """Of places in an order how far it is from the one before to the one after, ``others`` among them."""
    import numpy as np

    order = np.sort(np.concatenate([places, others]))
    bounded = np.concatenate([[-np.inf], order, [np.inf]])
    gaps: np.ndarray = (bounded[2:] - bounded[:-2])[np.searchsorted(order, places)]
    return gaps


def _apart(front: np.ndarray) -> np.ndarray:
    """Who lies apart first, by crowding distance (Deb et al. 2002): gaps between neighbours, at ends without bound."""
    import numpy as np

    room = np.zeros(len(front))
    for column in front.T:
        order = np.argsort(column, kind="stable")
        room[order[[0, -1]]] = np.inf
        room[order[1:-1]] += column[order[2:]] - column[order[:-2]]
    return np.argsort(-room, kind="stable")


def _scaled(values: np.ndarray) -> np.ndarray:
    """Every objective from 0, its best, to 1, its worst; what is not finite is as bad as the worst."""
    import numpy as np

    finite = np.isfinite(values)
    low = np.min(values, axis=0, where=finite, initial=np.inf)
    high = np.max(values, axis=0, where=finite, initial=-np.inf)
    span = np.where(high > low, high - low, 1.0)
    return np.where(finite, (values - np.where(np.isfinite(low), low, 0.0)) / span, 1.0)
