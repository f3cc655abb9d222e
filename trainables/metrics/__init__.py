"""Precision-recall metrics on feature arrays (N, d): k-NN scores, Fréchet distance."""

from trainables.metrics.frechet import frechet_distance, gaussian_statistics
from trainables.metrics.neighbours import (
    BallCounts,
    CoverScores,
    NeighbourScores,
    ball_counts,
    ball_counts_of,
    knn_radii,
    pr_cover,
    precision_recall_density_coverage,
    radii_of,
)

__all__ = [
    "BallCounts",
    "CoverScores",
    "NeighbourScores",
    "ball_counts",
    "ball_counts_of",
    "frechet_distance",
    "gaussian_statistics",
    "knn_radii",
    "pr_cover",
    "precision_recall_density_coverage",
    "radii_of",
]
