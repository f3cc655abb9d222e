"""Curves of a measurement as plain values: precision-recall curves by λ, divergence frontiers by their tilt."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.measure.report import Measurement
    from trainables.precision_recall import Frontier, PRCurve

__all__ = ["frontier_points", "inner", "plain_curves"]

POINTS = 99
"""Trade-offs of a curve that is kept."""

Plain = dict[str, list[float]]


def plain_curves(found: Measurement) -> dict[str, Plain]:
    """By name: ``lambda``, ``precision`` and ``recall`` of a PR curve, and ``tilt`` in place of λ of a frontier."""
    curves = {name: _points(inner(curve)) for name, curve in found.curves.items()}
    return curves | {name: frontier_points(frontier) for name, frontier in found.frontiers.items()}


def inner(curve: PRCurve, points: int = POINTS) -> PRCurve:
    """The curve at some of its trade-offs, without the ends where λ is 0 or infinite."""
    import numpy as np

    from trainables.precision_recall import PRCurve

    inside = np.flatnonzero((curve.lam > 0) & np.isfinite(curve.lam))
    kept = inside[np.linspace(0, len(inside) - 1, min(points, len(inside))).round().astype(int)]
    return PRCurve(curve.lam[kept], curve.precision[kept], curve.recall[kept])


def frontier_points(frontier: Frontier) -> Plain:
    """Tilt, precision e^{-D} and recall e^{-D} of every point, from R = P to R = Q."""
    precision, recall = frontier.precision_and_recall()
    return {"tilt": frontier.tilt.tolist(), "precision": precision.tolist(), "recall": recall.tolist()}


def _points(curve: PRCurve) -> Plain:
    return {
        "lambda": curve.lam.tolist(),
        "precision": curve.precision.tolist(),
        "recall": curve.recall.tolist(),
    }
