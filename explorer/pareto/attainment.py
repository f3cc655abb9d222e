"""What repeats of a sweep attain: where at least some share of the seeds has a trial as good, smaller always better."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorer.pareto.dominance import front_mask

__all__ = ["LEVELS", "attained", "attainment"]

Points = NDArray[np.float64]

LEVELS = (0.25, 0.5, 0.75)
"""Shares of the seeds whose boundaries are drawn."""
BLOCK = 4_000_000
"""Comparisons that are made at once."""


def attainment(
    points: Points, seeds: ArrayLike, levels: Sequence[float] = LEVELS, corner: ArrayLike | None = None
) -> list[Points]:
    """Boundaries of what at least a share of the seeds attains in two objectives, one (V, 2) per level.

    A seed s attains z if one of its points is nowhere worse, which is z₂ ≥ f_s(z₁), where f_s(x) is the least y among
    its points up to x. So at least k seeds attain z iff z₂ is no less than the k-th smallest of the f_s(z₁): the
    empirical attainment function (Grunert da Fonseca, Fonseca and Hall 2001). For a share ℓ of S seeds k is ⌈ℓ S⌉, and
    at least 1.

    Vertices are those of a staircase by growing x: it comes from the corner's y, turns at every point and goes on to
    the corner's x. The corner is the worst value of each objective unless it is given; what lies beyond a given one is
    left out. Empty (0, 2) where no such share attains anything. Seeds count if they have a point that is finite. O(N
    log N + F S) for F points on the fronts of their seeds, where S is the moving of a sorted list's tail.
    """
    points = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    finite = np.isfinite(points).all(axis=1)
    points, codes = points[finite], _codes(np.asarray(seeds)[finite])
    total = int(codes.max(initial=-1)) + 1
    # 0.07 × 100 is a little more than 7: what rounding adds does not ask for one seed more.
    wanted = [max(1, math.ceil(level * total - 1e-9)) for level in levels]
    if total:
        worst = points.max(axis=0) if corner is None else np.asarray(corner, dtype=np.float64)
        return [_staircase(turns, worst) for turns in _turns(points, codes, total, wanted)]
    return [np.empty((0, 2)) for _ in levels]


def attained(points: Points, seeds: ArrayLike, queries: Points) -> Points:
    """(Q,) the share of the seeds that have a point (N, M) nowhere worse than the query (Q, M).

    Points that are not finite attain nothing, queries with NaN are not attained. O(S (F + Q) log F) for M ≤ 3, where
    every seed has F points on its front; O(S F Q) beyond.
    """
    points, queries = np.asarray(points, dtype=np.float64), np.asarray(queries, dtype=np.float64)
    finite = np.isfinite(points).all(axis=1)
    points, codes = points[finite], _codes(np.asarray(seeds)[finite])
    total = int(codes.max(initial=-1)) + 1
    times = np.zeros(len(queries), dtype=np.int64)
    for seed in range(total):
        own = points[codes == seed]
        own = own[front_mask(own)]
        times += _swept(own, queries) if own.shape[1] <= 3 else _compared(own, queries)
    return times / max(total, 1)


def _codes(seeds: NDArray[np.generic]) -> NDArray[np.int64]:
    return np.asarray(np.unique(seeds, return_inverse=True)[1], dtype=np.int64).reshape(-1)


def _turns(
    points: Points, codes: NDArray[np.int64], total: int, wanted: Sequence[int]
) -> list[list[tuple[float, float]]]:
    """Where the k-th smallest f_s falls, as (x, value there), for every k that is wanted."""
    fronts = _fronts(points, codes)
    events = fronts[np.argsort(points[fronts, 0], kind="stable")]
    least, order = [math.inf] * total, [math.inf] * total
    turns: list[list[tuple[float, float]]] = [[] for _ in wanted]
    rows = zip(points[events].tolist(), codes[events].tolist(), strict=True)
    for (x, y), seed in rows:
        del order[bisect_left(order, least[seed])]
        insort(order, y)
        least[seed] = y
        for found, k in zip(turns, wanted, strict=True):
            value = order[k - 1] if k <= total else math.inf
            if value < (found[-1][1] if found else math.inf):
                if found and found[-1][0] == x:
                    found.pop()
                found.append((x, value))
    return turns


def _fronts(points: Points, codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows on the front of their own seed, equal points once."""
    order = np.lexsort((points[:, 1], points[:, 0], codes))
    # The places of the y, less so much per seed that every seed begins below all before it: one running minimum does
    # for all seeds.
    place = np.unique(points[:, 1], return_inverse=True)[1].reshape(-1)
    key = place[order] - codes[order] * (len(points) + 1)
    before = np.concatenate(([np.iinfo(np.int64).max], np.minimum.accumulate(key)[:-1]))
    return np.asarray(order[key < before], dtype=np.int64)


def _staircase(turns: Sequence[tuple[float, float]], worst: Points) -> Points:
    """Vertices of the boundary that turns at the points, by growing x, as far as the worst corner."""
    inside = [(x, y) for x, y in turns if x <= worst[0] and y <= worst[1]]
    if not inside:
        return np.empty((0, 2))
    corners = np.array(inside)
    vertices = np.empty((2 * len(corners) + 1, 2))
    vertices[:-1, 0] = np.repeat(corners[:, 0], 2)
    vertices[-1, 0] = worst[0]
    vertices[0, 1] = worst[1]
    vertices[1:, 1] = np.repeat(corners[:, 1], 2)
    return vertices


def _swept(front: Points, queries: Points) -> NDArray[np.bool_]:
    """(Q,) which queries a front of at most three objectives attains.

    In the order of the third, the front in the first two is a staircase, x growing and y falling: a query looks at the
    last step up to its x.
    """
    flat = 3 - front.shape[1]
    front, queries = (np.pad(rows, ((0, 0), (0, flat))) for rows in (front, queries))
    found = np.zeros(len(queries), dtype=np.bool_)
    here = np.flatnonzero(~np.isnan(queries).any(axis=1))
    # Where both have one third value, points come first: they attain what is equal to them.
    third = np.concatenate((front[:, 2], queries[here, 2]))
    asks = np.concatenate((np.full(len(front), -1), here))
    order = np.lexsort((asks >= 0, third))
    rows = np.concatenate((front[:, :2], queries[here, :2]))[order].tolist()
    xs: list[float] = []
    ys: list[float] = []
    for (x, y), query in zip(rows, asks[order].tolist(), strict=True):
        if query >= 0:
            at = bisect_right(xs, x) - 1
            found[query] = at >= 0 and ys[at] <= y
            continue
        at = bisect_left(xs, x)
        if (at and ys[at - 1] <= y) or (at < len(xs) and xs[at] == x and ys[at] <= y):
            continue
        end = at
        while end < len(ys) and ys[end] >= y:
            end += 1
        xs[at:end], ys[at:end] = [x], [y]
    return found


def _compared(front: Points, queries: Points) -> NDArray[np.bool_]:
    """(Q,) which queries a front of any number of objectives attains."""
    found = np.zeros(len(queries), dtype=np.bool_)
    step = max(1, BLOCK // max(1, len(front)))
    for start in range(0, len(queries), step):
        block = queries[start : start + step]
        no_worse = np.ones((len(block), len(front)), dtype=np.bool_)
        for one, other in zip(block.T, front.T, strict=True):
            no_worse &= other <= one[:, None]
        found[start : start + step] = no_worse.any(axis=1)
    return found
