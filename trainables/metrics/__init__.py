"""Precision-recall metrics on feature arrays (N, d): k-NN scores, Fréchet distance."""

from trainables.metrics.frechet import frechet_distance, gaussian_statistics
from trainables.metrics.neighbours import (
    BallCounts,
    NeighbourScores,
    ball_counts,
    knn_radii,
    precision_recall_density_coverage,
)

__all__ = [
    "BallCounts",
    "NeighbourScores",
    "ball_counts",
    "frechet_distance",
    "gaussian_statistics",
    "knn_radii",
    "precision_recall_density_coverage",
]
