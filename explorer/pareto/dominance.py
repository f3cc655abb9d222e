"""Dominance among points, smaller always better: who is on the front, ranks behind it, what it dominates."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["front_mask", "hypervolume", "is_long", "ranks", "ties"]

Points = NDArray[np.float64]
Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]

MOST_STEPS = 1e11
"""Steps that a hypervolume may take, counted as N^(M-2): some tenths of a second for 5 to 8 objectives."""


def front_mask(points: Points) -> Mask:
    """(N,) which of the points (N, M) no other dominates; equal points are there together.

    x dominates y if it is nowhere worse and somewhere better. A row that is not finite is not there. O(N log N) for
    M ≤ 3 objectives, O(N F) beyond, where F points are on the front.
    """
    import moocore

    points, finite = _complete(points)
    mask = np.zeros(len(finite), dtype=np.bool_)
    if len(points):
        mask[finite] = moocore.is_nondominated(points, keep_weakly=True)
    return mask


def ranks(points: Points) -> Codes:
    """(N,) 0 on the front, else 1 + the greatest rank among those that dominate it; -1 of a row that is not finite.

    Equal points share their rank. O(N log N) for M = 2 (Jensen 2003), O(N² log N) at worst for M = 3,
    O(N² log^{M-2} N) beyond. 10,000 points of three objectives take hundredths of a second while they form a thousand
    fronts or fewer, and half a second where every one is a front of its own.
    """
    import moocore

    points, finite = _complete(points)
    found = np.full(len(finite), -1, dtype=np.int64)
    if len(points):
        found[finite] = moocore.pareto_rank(points)
    return found


def hypervolume(points: Points, corner: Points) -> float:
    """Volume that the points (N, M) dominate, up to the corner (M,); rows that are not finite dominate nothing.

    NaN where it would take too long (``is_long``), where it is beyond all numbers, and where points have no corner.
    For F points on the front: O(F log F) for M ≤ 3 objectives, F^(M-2) or so beyond, which is at most ``MOST_STEPS``.
    """
    import moocore

    front = points[front_mask(points)]
    if not len(front):
        return 0.0
    if is_long(*front.shape) or not np.isfinite(corner).all():
        return math.nan
    volume = float(moocore.hypervolume(front, ref=corner))
    return volume if math.isfinite(volume) else math.nan


def is_long(count: int, goals: int) -> bool:
    """Whether the hypervolume of so many points on a front under so many objectives would take too long."""
    return goals > 3 and math.pow(count, goals - 2) > MOST_STEPS


def ties(points: Points) -> Codes:
    """(N,) a code per row, by first appearance, that exactly equal rows share; -1 of a row with NaN. O(M N log N)."""
    points = np.asarray(points, dtype=np.float64)
    here = np.flatnonzero(~np.isnan(points).any(axis=1))
    found = np.full(len(points), -1, dtype=np.int64)
    if not len(here):
        return found
    order = here[np.lexsort(points[here].T)] if points.shape[1] else here
    new = (points[order[1:]] != points[order[:-1]]).any(axis=1)
    found[order] = np.concatenate(([0], np.cumsum(new)))
    # Sorting is stable: the first row of a code in sorted order is the first of all.
    firsts = order[np.concatenate(([True], new))]
    place = np.empty(len(firsts), dtype=np.int64)
    place[np.argsort(firsts)] = np.arange(len(firsts))
    found[here] = place[found[here]]
    return found


def _complete(points: Points) -> tuple[Points, Mask]:
    """The rows that are finite, in the layout that moocore reads, and which they are."""
    points = np.asarray(points, dtype=np.float64)
    finite = np.asarray(np.isfinite(points).all(axis=1))
    return np.ascontiguousarray(points[finite]), finite
