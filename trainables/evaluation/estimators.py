"""Precision-recall curves of the same samples by every estimator that costs little beside an evaluation.

Each sees the features of the evaluation, at most some hundred of either kind, and says so in its sentence. For numbers
to compare trials by there are the metrics of the same names, which see all samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from trainables.evaluation.closest import closest
from trainables.evaluation.findings import EstimatedCurve
from trainables.evaluation.packed_clusters import packed_histograms
from trainables.faults import reason_of, spoils_device
from trainables.measures.classifier_curve import HeldOut
from trainables.measures.knn.neighbours import BallCounts
from trainables.measures.knn.trees import LOW_DIMENSION
from trainables.measures.prd import curve_from_histograms
from trainables.precision_recall.curve import PRCurve
from trainables.precision_recall.grid import equiangular_grid

__all__ = ["Compared", "by_neighbours", "estimated_curves", "law_curve"]

POINTS = 99
"""Trade-offs of a curve; an odd number has λ = 1."""
SAMPLES = 1000
"""Samples of either kind that k-means and neighbours see."""
FEW = 500
"""Samples of either kind that a linear classifier sees, half of them to learn from."""
CLUSTERS, RUNS = 20, 2
FEWEST = 16
"""Samples of either kind without which there is no curve."""
SHRINK = 0.1
"""What is added to a covariance, in parts of its mean eigenvalue."""
_OF_LAW = {
    "exact": ("Exact", "From the law of the data and the model's own density."),
    "neighbours": (
        "Law of the data",
        "From the law of the data, and the model's density as its nearest samples tell it.",
    ),
}
"""Title and sentence of a curve against the law, by its source."""


@dataclass(frozen=True, eq=False)
class Compared:
    """Features of real samples (N, d) and of B sets of generated ones (B, M, d), and who lies in whose ball."""

    real: Tensor
    fakes: Tensor
    counts: BallCounts


def estimated_curves(sets: Compared) -> tuple[list[list[EstimatedCurve]], list[str]]:
    """Of each of B sets a curve by every estimator; and a sentence for each that failed, for all sets alike.

    Nothing of fewer than 16 samples. O(B·n²·d) for n ≤ 1,000 samples of either kind; in d ≤ 3 on a CPU O(B·n log n).
    """
    found: list[list[EstimatedCurve]] = [[] for _ in sets.fakes]
    left_out: list[str] = []
    if min(len(sets.real), sets.fakes.shape[1]) < FEWEST:
        return found, left_out
    estimators: dict[str, Callable[[Compared], list[EstimatedCurve]]] = {"k-means": _by_clusters}
    estimators["the neighbour classifier"] = lambda sets: by_neighbours(sets.real, sets.fakes)
    # Lines in a plane tell rings from nothing, and would only flatter.
    if sets.real.shape[1] > LOW_DIMENSION:
        estimators["the linear classifier"] = _by_line
    estimators["cover"] = _by_cover
    for name, estimator in estimators.items():
        try:
            for own, curve in zip(found, estimator(sets), strict=True):
                own.append(curve)
        except Exception as error:
            if spoils_device(error):
                raise
            left_out.append(f"the curve by {name} is left out ({reason_of(error)})")
    return found, left_out


def law_curve(curve: Mapping[str, Any]) -> list[EstimatedCurve]:
    """The curve against the law of the data, where there is one, at fewer of its trade-offs."""
    if not curve.get("lambda"):
        return []
    lam = np.asarray(curve["lambda"], dtype=np.float64)
    asked = np.linspace(0, math.pi / 2, POINTS + 2)[1:-1]
    chosen = np.unique(np.abs(np.arctan(lam)[:, None] - asked).argmin(axis=0))
    title, sentence = _OF_LAW[str(curve["source"])]
    precision, recall, error = (
        np.asarray(curve[key], dtype=np.float64)[chosen] for key in ("precision", "recall", "error")
    )
    return [EstimatedCurve(str(curve["source"]), title, sentence, lam[chosen], precision, recall, error)]


def _by_clusters(sets: Compared) -> list[EstimatedCurve]:
    """Sajjadi et al. 2018."""
    real, fakes = sets.real[:SAMPLES], sets.fakes[:, :SAMPLES]
    clusters = min(CLUSTERS, len(real))
    curves = curve_from_histograms(*packed_histograms(real, fakes, clusters, RUNS), POINTS)
    sentence = (
        f"Histograms of both sets over {clusters} clusters of k-means (Sajjadi et al. 2018), the mean of {RUNS} runs; "
        f"on {_sizes(real, fakes[0])}."
    )
    return [
        EstimatedCurve("prd", "PRD, k-means", sentence, curves.lam, alpha, alpha / curves.lam)
        for alpha in curves.precision.mean(axis=1)
    ]


def by_neighbours(real: Tensor, fakes: Tensor) -> list[EstimatedCurve]:
    """Simon et al. 2019, with a classifier of nearest neighbours: the share of reals among k others.

    Of features (N, d) and of each of (B, M, d), the first 1,000 of either kind. Nobody is asked of itself, so that all
    samples are as good as held out. O(B·n²·d).
    """
    real = real[:SAMPLES]
    n = len(real)
    k = max(3, round(math.sqrt(n) / 2))
    found = []
    for fake in fakes[:, :SAMPLES]:
        union = torch.cat([real, fake])
        places = closest(union, union, k + 1)[1]
        others = places != torch.arange(len(union), device=places.device)[:, None]
        others[:, -1] &= ~others.all(dim=1)  # among copies one is perhaps not its own nearest
        score = ((places < n) & others).sum(dim=1).double().cpu().numpy()
        sentence = (
            f"Thresholds of a classifier that asks the {k} nearest others (Simon et al. 2019); "
            f"on {_sizes(real, fake)}."
        )
        curve = HeldOut(score[:n], score[n:]).curve(POINTS)
        found.append(_estimated("knn", "Classifier, nearest neighbours", sentence, curve))
    return found


def _by_line(sets: Compared) -> list[EstimatedCurve]:
    """Simon et al. 2019, with Fisher's linear discriminant, w = (S + ρI)⁻¹(μ_P - μ_Q): no search, hence little time.

    S is the covariance within the two sets and ρ a tenth of its mean eigenvalue, without which few samples in many
    dimensions tell directions that are theirs alone. The metric ``classifier`` searches for the best line.
    """
    real = sets.real[:FEW].double()
    n = len(real) // 2
    found = []
    for fake in sets.fakes[:, :FEW].double():
        m = len(fake) // 2
        within = (torch.cov(real[:n].T, correction=0) + torch.cov(fake[:m].T, correction=0)) / 2
        within.diagonal().add_(SHRINK * within.diagonal().mean().clamp(min=1e-30))
        line = torch.linalg.solve(within, real[:n].mean(dim=0) - fake[:m].mean(dim=0))
        scores = ((part @ line).cpu().numpy() for part in (real[n:], fake[m:]))
        sentence = (
            "Thresholds along the line that best parts the two sets, Fisher's discriminant (Simon et al. 2019); on "
            f"{_sizes(real, fake)}, half of them to find it."
        )
        found.append(_estimated("linear", "Classifier, linear", sentence, HeldOut(*scores).curve(POINTS)))
    return found


def _by_cover(sets: Compared) -> list[EstimatedCurve]:
    """α_λ ≈ PC_{k/λ, k} + λ RC_{λk, k}, from the counts there are (Cheema & Urner 2023; thesis, Theorem 4.3.3).

    PC is the share of generated balls in which reals are at least 1/λ times as dense; RC that of real balls in which
    generated samples are more than λ times as dense: a tie counts once.
    """
    counts, lam = sets.counts, equiangular_grid(POINTS).numpy()
    n, m, k = len(sets.real), sets.fakes.shape[1], counts.k
    sentence = (
        f"Which balls of {k} neighbours hold enough of the other kind (Cheema & Urner 2023): rough, since {k} are few; "
        f"on {n} real and {m} generated samples."
    )
    found = []
    for reals, fakes in zip(counts.reals_in_fake_ball, counts.fakes_in_real_ball, strict=True):
        dense = np.sort(reals.double().cpu().numpy() * m / (k * n))  # p/q at generated samples
        inverse = np.sort(fakes.double().cpu().numpy() * n / (k * m))  # q/p at real ones
        cover = 1 - np.searchsorted(dense, 1 / lam, side="left") / m
        missing = 1 - np.searchsorted(inverse, lam, side="right") / n
        alpha = np.minimum(np.maximum.accumulate(cover + lam * missing), np.minimum(1.0, lam))
        found.append(_estimated("cover", "PR cover", sentence, PRCurve(lam, alpha, alpha / lam)))
    return found


def _estimated(name: str, title: str, sentence: str, curve: PRCurve) -> EstimatedCurve:
    return EstimatedCurve(name, title, sentence, curve.lam, curve.precision, curve.recall)


def _sizes(real: Tensor, fake: Tensor) -> str:
    return f"{len(real)} real and {len(fake)} generated samples"
