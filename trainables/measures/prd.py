"""Precision-recall curves of two sets quantised by k-means.

Sajjadi et al., *Assessing Generative Models via Precision and Recall*, 2018.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trainables.measures.arrays import as_features, check_pair
from trainables.measures.kmeans import kmeans
from trainables.precision_recall.curve import PRCurve
from trainables.precision_recall.grid import equiangular_grid

__all__ = ["Quantised", "curve_from_histograms", "quantise"]

_Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Quantised:
    """Clusters of the samples of two sets, for several clusterings: labels (runs, N) and (runs, M)."""

    real_labels: NDArray[np.int64]
    fake_labels: NDArray[np.int64]
    clusters: int

    @cached_property
    def real(self) -> NDArray[np.int64]:
        """Histograms of the reals, (runs, clusters)."""
        return np.stack([np.bincount(run, minlength=self.clusters) for run in self.real_labels])

    @cached_property
    def fake(self) -> NDArray[np.int64]:
        """Histograms of the fakes, (runs, clusters)."""
        return np.stack([np.bincount(run, minlength=self.clusters) for run in self.fake_labels])

    def curve(self, points: int = 1001) -> PRCurve:
        """The curve averaged over the runs, on an equiangular grid."""
        runs = curve_from_histograms(self.real, self.fake, points)
        return PRCurve(runs.lam, runs.precision.mean(axis=0), runs.recall.mean(axis=0))

    def explained(self, real: Tensor | np.ndarray, fake: Tensor | np.ndarray) -> float:
        """The share of the variance of the union that lies between clusters, in the first run; from 0 to 1.

        Σ_c n_c ‖μ_c - μ‖² / Σ_i ‖z_i - μ‖². O((N+M)·d).
        """
        union = torch.cat([as_features(real, "real features"), as_features(fake, "fake features")]).double()
        union = union - union.mean(dim=0)
        labels = torch.from_numpy(np.concatenate([self.real_labels[0], self.fake_labels[0]])).to(union.device)
        sums = union.new_zeros(self.clusters, union.shape[1]).index_add_(0, labels, union)
        counts = torch.bincount(labels, minlength=self.clusters).clamp(min=1)
        total = float(union.square().sum())
        return float((sums.square().sum(dim=1) / counts).sum()) / total if total else 1.0

    def parts(self, runs: int) -> list[Quantised]:
        """As many groups of ``runs`` clusterings as there are; what is left over is left out."""
        starts = range(0, len(self.real_labels) - runs + 1, runs)
        return [
            Quantised(self.real_labels[at : at + runs], self.fake_labels[at : at + runs], self.clusters)
            for at in starts
        ]


def quantise(
    real: Tensor | np.ndarray,
    fake: Tensor | np.ndarray,
    clusters: int = 20,
    runs: int = 10,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Quantised:
    """``real`` (N, d) and ``fake`` (M, d) by k-means clusters of their union, for ``runs`` starts.

    Quantising makes curves optimistic (fewer clusters hide more), small samples make them pessimistic. When N ≠ M
    the larger set pulls the clusters; the authors recommend equal sizes.
    """
    x, y = check_pair(as_features(real, "real features"), as_features(fake, "fake features"))
    labels = kmeans(torch.cat([x, y]), clusters, runs, seed, progress=progress).labels.cpu().numpy()
    return Quantised(labels[:, : len(x)], labels[:, len(x) :], clusters)


def curve_from_histograms(real: NDArray[np.int64], fake: NDArray[np.int64], points: int = 1001) -> PRCurve:
    """α_λ = Σ_c min(λ p_c, q_c), β_λ = α_λ/λ for counts (…, clusters) → precision and recall (…, points).

    λ = tan θ on an equiangular grid, real p, fake q (Sajjadi eq. 6-7).
    """
    lam = equiangular_grid(points).numpy()
    p = real / real.sum(axis=-1, keepdims=True)
    q = fake / fake.sum(axis=-1, keepdims=True)
    alpha = np.zeros((*p.shape[:-1], points))
    for c in range(p.shape[-1]):
        alpha += np.minimum(lam * p[..., c, None], q[..., c, None])
    # Sums of shares overshoot 1 by rounding only.
    alpha = np.minimum(alpha, np.minimum(1.0, lam))
    return PRCurve(lam, alpha, alpha / lam)
