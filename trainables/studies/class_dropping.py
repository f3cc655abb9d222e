"""Classes dropped and added: real data are the first five classes of a labelled dataset, "models" the first i.

Sajjadi et al. 2018, Figure 5: with i < 5 classes are missing and recall falls to i/5 while precision stays 1; with
i > 5 classes are invented and precision falls to 5/i while recall stays 1. For classes that do not overlap the true
curve is the rectangle with the corner (recall, precision) = (min(1, i/5), min(1, 5/i)); where classes look alike
(shirts and T-shirts, pullovers and coats) the curves of the images themselves lie above it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from trainables.features.classifier import classifier
from trainables.features.extractor import Features, extract
from trainables.measures.classifier_curve import classifier_scores
from trainables.measures.frechet import frechet_distance, gaussian_statistics
from trainables.measures.inception_score import inception_score
from trainables.measures.knn.neighbours import NeighbourScores, knn_radii, precision_recall_density_coverage
from trainables.measures.prd import quantise
from trainables.precision_recall.curve import PRCurve

__all__ = ["REAL_CLASSES", "Dropping", "class_dropping", "true_corner"]

REAL_CLASSES = 5


@dataclass(frozen=True, eq=False)
class Dropping:
    """What the metrics say of the first ``classes`` classes against the first five.

    The Fréchet distance is that of the features, the Inception Score (one split) that of the network's classes: both
    as FID and IS are defined, with the network of the study in Inception's place.
    """

    classes: int
    prd: PRCurve
    classifier: PRCurve
    neighbours: NeighbourScores
    frechet: float
    inception: float


def true_corner(classes: int) -> tuple[float, float]:
    """(precision, recall) of the corner of the true rectangle for i classes against five."""
    return min(1.0, REAL_CLASSES / classes), min(1.0, classes / REAL_CLASSES)


def class_dropping(
    images: Tensor,
    labels: Tensor,
    cache: Path,
    samples: int = 2500,
    training: int = 20_000,
    epochs: int = 6,
    classes: Sequence[int] = tuple(range(1, 11)),
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[Dropping], float]:
    """The curves for every number of ``classes``, and the held-out accuracy of the network behind the features.

    Features are the last hidden layer of a classifier of all classes, trained on ``training`` images that are not used
    again (Sajjadi et al. do so for MNIST). Real and model samples are disjoint, ``samples`` each, evenly over their
    classes.
    """
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(seed))
    kept = order[:training]
    extractor, accuracy = classifier(images[kept], labels[kept], cache, epochs, seed)
    share = samples // REAL_CLASSES
    rest = order[training:]
    pools = []
    for c in range(max(*classes, REAL_CLASSES)):
        most = share + samples // min((i for i in classes if i > c), default=samples)
        pools.append(extract(extractor, images[rest[labels[rest] == c][:most]].split(512)))
    real = torch.cat([pool.values[:share] for pool in pools[:REAL_CLASSES]])
    radii, statistics = knn_radii(real, 5), gaussian_statistics(real)
    found = []
    for step, i in enumerate(classes, start=1):
        model = torch.cat([pool.values[share : share + samples // i] for pool in pools[:i]])
        if len(model) < i * (samples // i):
            raise ValueError(
                f"{samples} samples of {i} classes need {share + samples // i} images of each, got fewer; "
                "use fewer samples or a smaller share for training"
            )
        found.append(
            Dropping(
                classes=i,
                prd=quantise(real, model, clusters=20, runs=10, seed=seed).curve(),
                classifier=classifier_scores(real, model, seed=seed).curve(),
                neighbours=precision_recall_density_coverage(real, model, 5, radii),
                frechet=frechet_distance(*statistics, *gaussian_statistics(model)),
                inception=inception_score(_logits(pools[:i], share, samples // i), splits=1)[0],
            )
        )
        if progress is not None:
            progress(step, len(classes))
    return found, accuracy


def _logits(pools: Sequence[Features], start: int, count: int) -> Tensor:
    """The logits of ``count`` samples of every pool from ``start`` on, (classes · count, all classes)."""
    parts = []
    for pool in pools:
        if pool.logits is None:
            raise ValueError(
                "an Inception Score needs an extractor with class logits; this one has features only"
            )
        parts.append(pool.logits[start : start + count])
    return torch.cat(parts)
