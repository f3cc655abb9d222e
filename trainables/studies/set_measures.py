"""By what studies measure a set of samples: points in the plane beside their law, images in features of their data."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from trainables.datasets import Dataset
from trainables.evaluation.default_features import default_features
from trainables.evaluation.real_side import RealSide
from trainables.evaluation.settings import EvaluationConfig
from trainables.measures.knn.neighbours import knn_radii, precision_recall_density_coverage
from trainables.measures.modes import mode_shares
from trainables.sources.mixture import GaussianMixture
from trainables.sources.source import Source
from trainables.studies.equal_budgets import binned_divergences

__all__ = ["IMAGE_COLUMNS", "PLANE_COLUMNS", "Measure", "image_measure", "plane_measure"]

Measure = Callable[[Tensor], dict[str, float]]
"""Samples (n, …) → metrics by name."""

K_NEAREST = 3

PLANE_COLUMNS = (
    "precision",
    "recall",
    "coverage",
    "quality",
    "modes_hit",
    "modes_held",
    "spread",
    "js",
    "tv",
)
"""What tables show of points."""

IMAGE_COLUMNS = ("fid", "precision", "recall", "density", "coverage")
"""What is told of images."""


def plane_measure(source: Source, samples: int, neighbours: int) -> Measure:
    """Of points (n, 2): k-NN scores on the first ``neighbours``, the rest on all.

    O(neighbours² + samples · modes) a set.
    """
    law = source.law
    assert isinstance(law, GaussianMixture)
    real = source.reference(max(samples, neighbours))
    spread = float(real.x.var(dim=0).sum().sqrt())
    near = real.x[:neighbours].double()
    radii = knn_radii(near, K_NEAREST)

    def measure(x: Tensor) -> dict[str, float]:
        points = x.cpu()
        modes = law.to("cpu").modes(points)
        shares = {name: float(value) for name, value in mode_shares(modes, 1).items()}
        found = precision_recall_density_coverage(near, points[:neighbours].double(), K_NEAREST, radii)
        return {
            "precision": found.precision,
            "recall": found.recall,
            "density": found.density,
            "coverage": found.coverage,
            **shares,
            "spread": float(points.var(dim=0).sum().sqrt()) / spread,
            **binned_divergences(law, points),
        }

    return measure


def image_measure(dataset: Dataset, source: Source, samples: int, device: torch.device) -> Measure:
    """Of ``samples`` images, in the features of a classifier of the training part, against those held out."""
    features = default_features(dataset)
    real = RealSide(source, features, samples, device)
    evaluation = EvaluationConfig(samples=samples, features=features, k=K_NEAREST)

    def measure(x: Tensor) -> dict[str, float]:
        (found,) = real.measure(evaluation, [x])
        if isinstance(found, Exception):
            raise found
        return {name: found[name] for name in IMAGE_COLUMNS}

    return measure
