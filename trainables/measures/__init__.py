"""Precision-recall metrics on feature arrays (N, d), each a function; see each file for its paper."""

from trainables.measures.bootstrap import Estimate, estimate, histogram_draws, mean_draws
from trainables.measures.classes import ClassScores, class_scores, per_class_scores
from trainables.measures.classifier_curve import HeldOut, choose_thresholds, classifier_scores
from trainables.measures.frechet import frechet_distance, frechet_influence, gaussian_statistics
from trainables.measures.frontier import (
    calibrated_frontier,
    calibrated_histograms,
    calibrated_log_ratio,
    histogram_frontier,
    quantised_frontier,
    ratio_frontier,
    tilts,
    walk,
)
from trainables.measures.groups import DesignEffect, cuts, design_effect
from trainables.measures.inception_score import ScoreLimit, inception_score, inception_score_limit
from trainables.measures.intervals import pivot, quantile, score_interval, wilson
from trainables.measures.kernel import (
    KernelEstimate,
    kernel_distance,
    kernel_distance_blocks,
    kernel_estimate,
)
from trainables.measures.kmeans import Clustering, kmeans
from trainables.measures.knn.neighbours import (
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
from trainables.measures.prd import Quantised, curve_from_histograms, quantise

__all__ = [
    "BallCounts",
    "ClassScores",
    "Clustering",
    "CoverScores",
    "DesignEffect",
    "Estimate",
    "HeldOut",
    "KernelEstimate",
    "NeighbourScores",
    "Quantised",
    "ScoreLimit",
    "ball_counts",
    "ball_counts_of",
    "calibrated_frontier",
    "calibrated_histograms",
    "calibrated_log_ratio",
    "choose_thresholds",
    "class_scores",
    "classifier_scores",
    "curve_from_histograms",
    "cuts",
    "design_effect",
    "estimate",
    "frechet_distance",
    "frechet_influence",
    "gaussian_statistics",
    "histogram_draws",
    "histogram_frontier",
    "inception_score",
    "inception_score_limit",
    "kernel_distance",
    "kernel_distance_blocks",
    "kernel_estimate",
    "kmeans",
    "knn_radii",
    "mean_draws",
    "per_class_scores",
    "pivot",
    "pr_cover",
    "precision_recall_density_coverage",
    "quantile",
    "quantise",
    "quantised_frontier",
    "radii_of",
    "ratio_frontier",
    "score_interval",
    "tilts",
    "walk",
    "wilson",
]
