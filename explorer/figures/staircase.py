"""The boundary of what is reached in two objectives."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from explorer.goals import Direction

__all__ = ["best_pairs", "staircase"]

Point = tuple[float, float]


def best_pairs(points: Sequence[Point], x: Direction, y: Direction) -> list[Point]:
    """Non-dominated points of the plane, by growing x; equal points once.

    Sorted from the best x to the worst, a point is non-dominated iff its y beats every one before it.
    """
    sx, sy = (1.0 if x == "min" else -1.0), (1.0 if y == "min" else -1.0)
    best: list[Point] = []
    for u, v in sorted(points, key=lambda p: (sx * p[0], sy * p[1])):
        if not best or sy * v < sy * best[-1][1]:
            best.append((u, v))
    return sorted(best)


def staircase(points: Sequence[Point], x: Direction, y: Direction, worst: Point) -> list[Point]:
    """Vertices of the boundary of ∪ᵢ {z : z no better than pᵢ}, cut off at ``worst``, by growing x.

    Between neighbours (x₁, y₁), (x₂, y₂) with x₁ < x₂ the corner is (x₁, y₂) if x is maximised and
    (x₂, y₁) if it is minimised.
    """
    best = best_pairs(points, x, y)
    if not best:
        return []
    line = [best[0]]
    for (x1, y1), (x2, y2) in pairwise(best):
        line += [(x1, y2) if x == "max" else (x2, y1), (x2, y2)]
    # Each tail leaves along the coordinate in which its end point is the best of all.
    left, right = best[0], best[-1]
    head, tail = (worst[0], left[1]), (right[0], worst[1])
    if x == "min":
        head, tail = (left[0], worst[1]), (worst[0], right[1])
    return [head, *line, tail]
