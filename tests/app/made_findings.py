"""What explains a made-up trial: points that lie far off, and curves of three estimators."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from trainables.evaluation.findings import EstimatedCurve, Findings, Side, Witnesses

__all__ = ["made_findings"]

ESTIMATORS = (("exact", "Exact", 1.0), ("prd", "PRD, k-means", 0.95), ("knn", "Classifier", 0.9))
"""Name, title, and which part of the curve they see."""


def made_findings(
    real: np.ndarray,
    fake: np.ndarray,
    scores: tuple[float, float],
    curve: Mapping[str, object],
    k: int,
) -> Findings:
    """The points farthest from the other kind, as many as precision and recall ask for, at most sixteen."""
    apart = np.linalg.norm(fake[:, None] - real[None], axis=2)
    outside = _side(fake, apart.min(axis=1), 1 - scores[0])
    missed = _side(real, apart.min(axis=0), 1 - scores[1])
    lam, alpha = (np.array(curve[key]) for key in ("lambda", "precision"))
    order = np.argsort(lam)
    lam, alpha = lam[order], np.minimum(alpha[order], np.minimum(1, lam[order]))
    curves = tuple(
        EstimatedCurve(name, title, f"{title}, made up.", lam, alpha * part, alpha * part / lam)
        for name, title, part in ESTIMATORS
    )
    return Findings(Witnesses(outside, missed, "identity", k), curves)


def _side(points: np.ndarray, distance: np.ndarray, share: float) -> Side:
    worst = np.argsort(-distance)[: min(16, round(share * len(points)))]
    return Side(share, 1 + 10 * distance[worst], points[worst])
