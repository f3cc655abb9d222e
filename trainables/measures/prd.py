"""Precision-recall curves of two sets quantised by k-means.

Sajjadi et al., *Assessing Generative Models via Precision and Recall*, 2018.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trainables.measures.arrays import as_features, blocks, check_pair, column_mean
from trainables.measures.bootstrap import weight_draws
from trainables.measures.groups import cuts
from trainables.measures.kmeans import kmeans
from trainables.precision_recall.curve import PRCurve
from trainables.precision_recall.grid import equiangular_grid

__all__ = ["Quantised", "curve_from_histograms", "quantise"]

_Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Quantised:
    """Clusters of the samples of two sets, for several clusterings: labels (runs, N) and (runs, M).

    ``explained`` is the share of the variance of both sets together that lies between clusters, the mean of the runs.
    """

    real_labels: NDArray[np.int64]
    fake_labels: NDArray[np.int64]
    clusters: int
    explained: float = 1.0

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

    def draws(self, number: int, rng: np.random.Generator, points: int = 201) -> PRCurve:
        """Curves of samples and runs drawn again, each clustering held fixed; precision and recall (number, points).

        A draw is one resampling of the samples, seen by all runs: drawn for each run anew, the noise of the
        samples would average out over the runs and the spread come out too small by up to √runs. Runs are drawn with
        replacement: another seed has other ones.
        """
        drawn = [
            self._histogram_draws(labels, number, rng) for labels in (self.real_labels, self.fake_labels)
        ]
        runs = len(self.real_labels)
        weights = rng.multinomial(runs, np.full(runs, 1 / runs), size=number) / runs
        lam, alpha = equiangular_grid(points).numpy(), np.zeros((number, points))
        for run, (p, q) in enumerate(zip(*drawn, strict=True)):
            alpha += weights[:, run, None] * curve_from_histograms(p, q, points).precision
        return PRCurve(lam, alpha, alpha / lam)

    def crossed(
        self, rng: np.random.Generator, points: int = 201, folds: int = 5, rounds: int = 4
    ) -> PRCurve:
        """The curve with Σ_c min(λp_c, q_c) split: which is less is asked of all folds but one, how much it is of that.

        The least of two noisy shares is less than the lesser share, so :meth:`curve` lies low, most where the laws
        agree. Here the choice knows nothing of the noise it is read with: a wrong one gives the greater share, so that
        the curve lies high instead, and where the laws agree it is unbiased. Capped at min(1, λ) for every run.
        """
        if min(self.real_labels.shape[1], self.fake_labels.shape[1]) < folds:
            raise ValueError(f"{folds} folds need as many samples in each set; use more samples")
        lam = equiangular_grid(points).numpy()
        alpha = np.zeros((len(self.real_labels), points))
        sides = [self._indicator(labels) for labels in (self.real_labels, self.fake_labels)]
        whole = [side.sum(axis=0) for side in sides]
        for fold in chain.from_iterable(cuts(len(sides[0]), len(sides[1]), folds, rounds, rng)):
            read = [side[index].sum(axis=0) for side, index in zip(sides, fold, strict=True)]
            chosen_p, chosen_q = (
                (all_ - one) / (len(side) - len(index))
                for all_, one, side, index in zip(whole, read, sides, fold, strict=True)
            )
            p, q = (one / len(index) for one, index in zip(read, fold, strict=True))
            less = np.where(lam[:, None] * chosen_p < chosen_q, lam[:, None] * p, q)
            alpha += less.reshape(points, -1, self.clusters).sum(axis=2).T
        mean = np.minimum(alpha / (folds * rounds), np.minimum(1.0, lam)).mean(axis=0)
        return PRCurve(lam, mean, mean / lam)

    def _indicator(self, labels: NDArray[np.int64]) -> NDArray[np.float32]:
        """Which cluster of every run each sample is in: labels (runs, n) → (n, runs · clusters)."""
        runs, n = labels.shape
        columns = (labels + np.arange(runs)[:, None] * self.clusters).T
        indicator = np.zeros((n, runs * self.clusters), dtype=np.float32)
        np.put_along_axis(indicator, columns, 1.0, axis=1)
        return indicator

    def _histogram_draws(
        self, labels: NDArray[np.int64], number: int, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Histograms of resampled ``labels`` (runs, n) → (runs, number, clusters), by a product with indicators."""
        runs, n = labels.shape
        indicator = self._indicator(labels)
        drawn = [weights.astype(np.float32) @ indicator for weights in weight_draws(n, number, rng)]
        counts = np.concatenate(drawn).reshape(number, runs, self.clusters).astype(np.int64)
        return counts.transpose(1, 0, 2)


def quantise(
    real: Tensor | np.ndarray, fake: Tensor | np.ndarray, clusters: int = 20, runs: int = 10, seed: int = 0
) -> Quantised:
    """``real`` (N, d) and ``fake`` (M, d) by k-means clusters of their union, for ``runs`` starts.

    Quantising makes curves optimistic (fewer clusters hide more), small samples make them pessimistic. When N ≠ M
    the larger set pulls the clusters; the authors recommend equal sizes.
    """
    x, y = check_pair(as_features(real, "real features"), as_features(fake, "fake features"))
    union = torch.cat([x, y])
    found = kmeans(union, clusters, runs, seed)
    mean = column_mean(union)
    total = sum(float((block - mean).square().sum()) for block in blocks(union)) / len(union)
    explained = 1 - float(found.inertia.mean()) / total if total > 0 else 1.0
    labels = found.labels.cpu().numpy()
    return Quantised(labels[:, : len(x)], labels[:, len(x) :], clusters, explained)


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
