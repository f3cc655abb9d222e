"""The front as trials finish: its hypervolume over time, and the front after the first so many."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorer.pareto.dominance import MOST_STEPS, front_mask, hypervolume

__all__ = ["MOST_MOMENTS", "Progress"]

Numbers = NDArray[np.float64]
Codes = NDArray[np.int64]

MOST_MOMENTS = 400
"""Moments at which the hypervolume is computed."""
MOST_POINTS = 400_000
"""Points on the fronts at all these moments together: some tenths of a second for three objectives."""


@dataclass(frozen=True, eq=False)
class Progress:
    """How a front grew.

    Attributes:
        points: (N, M) objectives of all rows, smaller always better.
        order: (n,) rows by the moment at which they finished; those without a moment or an objective are not among
            them.
        finished: (V,) numbers of finished rows at which the volume was computed, growing; the last is n.
        moments: (V,) when that was.
        volumes: (V,) the hypervolume then; NaN where it would take too long.
    """

    points: Numbers = field(repr=False)
    order: Codes = field(repr=False)
    finished: Codes
    moments: Numbers
    volumes: Numbers

    @classmethod
    def of(cls, moments: ArrayLike, points: Numbers, corner: ArrayLike) -> Progress:
        """The hypervolume up to a corner (M,) of points (N, M) that finish at moments (N,), NaN for never.

        A point that an earlier one dominates or equals changes nothing, then or later. The E others are the front of
        all points with their place in the order as one more objective, found in one go. The volume is computed after
        each of them; after some of them, the first, the last and evenly between, where they are more than
        ``MOST_MOMENTS``, or their fronts together more than ``MOST_POINTS`` points (beyond three objectives, where
        they would take more than ``MOST_STEPS``). O(N E) at worst, and a hypervolume per moment.
        """
        when, points = np.asarray(moments, dtype=np.float64), np.asarray(points, dtype=np.float64)
        known = np.flatnonzero(np.isfinite(when) & np.isfinite(points).all(axis=1))
        order = known[np.argsort(when[known], kind="stable")]
        if not len(order):
            nothing = np.empty(0)
            return cls(points, order, np.empty(0, dtype=np.int64), nothing, nothing)
        entering = np.flatnonzero(front_mask(np.column_stack((points[order], np.arange(len(order))))))
        chosen = entering[_evenly(len(entering), _most_moments(points[order]))]
        finished = np.unique(np.append(chosen + 1, len(order)))  # the last to finish ends the line
        worst = np.asarray(corner, dtype=np.float64)
        front = points[:0]
        volumes = np.empty(len(finished))
        for place, (since, until) in enumerate(zip(np.append(0, finished[:-1]), finished, strict=True)):
            come = entering[np.searchsorted(entering, since) : np.searchsorted(entering, until)]
            if len(come):
                front = np.concatenate((front, points[order[come]]))
                front = front[front_mask(front)]
                volumes[place] = hypervolume(front, worst)
            else:
                volumes[place] = volumes[place - 1]
        return cls(points, order, finished, when[order[finished - 1]], volumes)

    def __len__(self) -> int:
        return len(self.order)

    def front_at(self, finished: int) -> NDArray[np.bool_]:
        """(N,) the front of the first so many that finished. O(k log k) for M ≤ 3 objectives."""
        first = self.order[: max(0, finished)]
        mask = np.zeros(len(self.points), dtype=np.bool_)
        mask[first[front_mask(self.points[first])]] = True
        return mask


def _most_moments(points: Numbers) -> int:
    """As many as the volume of the last front, which is about the longest, can be computed."""
    on_front, goals = int(front_mask(points).sum()), points.shape[1]
    steps = MOST_POINTS / on_front if goals <= 3 else MOST_STEPS / float(on_front) ** (goals - 2)
    return int(min(MOST_MOMENTS, max(2.0, steps)))


def _evenly(count: int, most: int) -> Codes:
    """Places among so many, all if they are few enough, first and last among them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.int64))
