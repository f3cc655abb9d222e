"""One trial of a front: its knee, or what a reader prefers; and lines of equal F between precision and recall."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorer.errors import UserError
from explorer.pareto.dominance import front_mask

__all__ = ["iso_f", "knee", "preferred", "weights"]

Points = NDArray[np.float64]

AUGMENTATION = 1e-6
"""What the sum of the coordinates counts beside the largest: enough to leave out what is dominated."""


def knee(points: Points) -> int:
    """Row of the point of a front (n, M) that bulges most towards the ideal, smaller always better. O(n M).

    Coordinates are scaled so that the front spans [0, 1] in each. The plane a · z = 1 goes through the M extremes, the
    points that are best in one objective; the knee has the least a · z, the greatest distance from the plane on the
    side of the ideal (Das 1999). Where extremes coincide or the plane does not fall in every objective, all count
    alike, a = (1, …, 1). Of equals the first.
    """
    scaled = _scaled(_some(points))
    # Of the points that are best in an objective the extreme is the one that is best in the others.
    sums = np.round(scaled.sum(axis=1), 12)
    extremes = scaled[[int(np.lexsort((sums, column))[0]) for column in scaled.T]]
    normal: Points = np.ones(scaled.shape[1])
    if np.linalg.matrix_rank(extremes) == scaled.shape[1]:
        solved = np.asarray(np.linalg.solve(extremes, normal), dtype=np.float64)
        normal = solved if (solved > 0).all() else normal
    # Points of one plane are one to each other whatever rounding says.
    return int(np.argmin(np.round(scaled @ normal, 12)))


def preferred(points: Points, weights: ArrayLike) -> int:
    """Row of the point (N, M) that is best under weights (M,), smaller always better: on the front, bent as it may be.

    It has the least max_m w_m z_m + ρ Σ_m z_m, the augmented Chebyshev scalarisation (Steuer and Choo 1983), where
    coordinates are scaled so that the front spans [0, 1] in each. As weight moves from one of two objectives to the
    other the choice walks along the front and never back. Rows that are not finite are never chosen. O(N log N) for
    M ≤ 3.
    """
    rows = np.flatnonzero(front_mask(_some(points)))
    if not len(rows):
        raise ValueError("a preference needs a point that is finite, got none")
    scaled = _scaled(points[rows])
    heaviest = (np.asarray(weights, dtype=np.float64) * scaled).max(axis=1)
    return int(rows[np.argmin(heaviest + AUGMENTATION * scaled.sum(axis=1))])


def weights(preference: float) -> Points:
    """Weights of precision and recall: a preference of 0 is all for quality, 1 all for diversity."""
    if not 0 <= preference <= 1:
        raise UserError(f"a preference must be between 0 (quality) and 1 (diversity), got {preference}")
    return np.array([1.0 - preference, preference])


def iso_f(level: float, beta: float = 1.0, count: int = 80) -> tuple[Points, Points]:
    """Recall and precision (count,) each along the line F_β = level, by growing recall, inside the unit square.

    F_β = (1 + β²) P R / (β² P + R), where recall counts β times as much as precision (van Rijsbergen 1979); so
    P = F R / ((1 + β²) R - β² F), which is at most 1 from R = β² F / (1 + β² - F) on.
    """
    if not 0 < level <= 1:
        raise UserError(f"a level of F must be above 0 and at most 1, got {level}")
    if not 0 < beta < np.inf:
        raise UserError(f"β of F must be above 0, got {beta}; 1 weighs precision and recall alike")
    square = beta * beta
    # Even steps of the logarithm: the line is steep where recall is least.
    recall = np.geomspace(square * level / (1 + square - level), 1.0, count)
    precision = level * recall / ((1 + square) * recall - square * level)
    return recall, np.minimum(precision, 1.0)


def _some(points: Points) -> Points:
    if not len(points):
        raise ValueError("a choice needs a point, got none")
    return points


def _scaled(points: Points) -> Points:
    """The points with every coordinate on [0, 1]; one that does not vary is 0."""
    least, most = points.min(axis=0), points.max(axis=0)
    # Halves, since the span of the largest numbers is none.
    span = most / 2 - least / 2
    scaled = (points / 2 - least / 2) / np.where(span > 0, span, 1.0)
    return np.asarray(scaled)
