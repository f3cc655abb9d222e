"""Divergence frontiers of two sample sets.

Djolonga et al., *Precision-Recall Curves Using Information Divergence Frontiers*, 2020.

Quantised: the frontier of the cluster histograms. From density ratios: a classifier's logit, calibrated to log p/q on
samples it has not seen, put into the frontier's expectations. Calibrated: the frontier of histograms of such logits, in
the bins that calibration finds.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray

from trainables.measures.classifier_curve import HeldOut
from trainables.measures.prd import Quantised
from trainables.precision_recall.frontiers import Frontier, Kind, frontier_discrete, frontier_from_log_ratio

__all__ = [
    "calibrated_frontier",
    "calibrated_histograms",
    "calibrated_log_ratio",
    "histogram_frontier",
    "quantised_frontier",
    "ratio_frontier",
    "tilts",
    "walk",
]

END = 1e-9
"""A tilt at which R is P but for rounding, at every order; at its inverse R is Q."""


def tilts(points: int = 101) -> NDArray[np.float64]:
    """Tilts from near P to near Q, equiangular as λ of a PR curve."""
    return np.tan(np.linspace(0, math.pi / 2, points + 2)[1:-1])


def walk(points: int = 101) -> NDArray[np.float64]:
    """Tilts all the way from P to Q: both ends, and what lies between them equiangular."""
    return np.concatenate([[END], tilts(points - 2), [1 / END]])


def histogram_frontier(
    real: NDArray[np.int64],
    fake: NDArray[np.int64],
    order: float,
    kind: Kind,
    along: NDArray[np.float64],
) -> Frontier:
    """The frontier of two histograms (C,), with half a count more in every bin, at the tilts ``along``."""
    p, q = real + 0.5, fake + 0.5
    return frontier_discrete(p / p.sum(), q / q.sum(), order, kind, along)


def quantised_frontier(
    sets: Quantised, order: float = 1.0, kind: Kind = "inclusive", points: int = 101
) -> Frontier:
    """The frontier of the histograms of the first clustering; half a count is added to every cluster.

    The added counts (Krichevsky & Trofimov) keep divergences finite when a cluster misses one set.
    """
    return histogram_frontier(sets.real[0], sets.fake[0], order, kind, tilts(points))


def calibrated_log_ratio(scores: HeldOut) -> tuple[torch.Tensor, torch.Tensor]:
    """log p/q at held-out reals and fakes, from their scores by isotonic regression → (n,), (m,).

    The share of reals among samples of a given score is p/(p+q) when both sets weigh the same; isotonic regression is
    its maximum-likelihood estimate that rises with the score. Shares are kept half a sample away from 0 and 1.
    """
    n, m = len(scores.real), len(scores.fake)
    share = np.clip(_shares_of_reals(scores), 0.5 / (n + m), 1 - 0.5 / (n + m))
    log_ratio = torch.from_numpy(np.log(share) - np.log1p(-share))
    return log_ratio[:n], log_ratio[n:]


def ratio_frontier(
    scores: HeldOut, order: float = 1.0, kind: Kind = "inclusive", points: int = 101
) -> Frontier:
    """The frontier from calibrated density ratios at held-out samples."""
    return frontier_from_log_ratio(
        *calibrated_log_ratio(scores), order, kind, torch.from_numpy(tilts(points))
    )


def calibrated_histograms(scores: HeldOut) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Counts of held-out reals and fakes in the bins of their scores that isotonic regression finds → (C,), (C,).

    Within a bin reals are no rarer among higher scores than among lower ones, as far as samples tell; from bin to bin
    the share of reals rises. About n^⅓ bins, log n where the laws agree. O(n log n).
    """
    n = len(scores.real)
    # Rounded: pieces of one share whose sums differ in their last digits are one bin.
    shares, bins = np.unique(_shares_of_reals(scores).round(12), return_inverse=True)
    real, fake = (np.bincount(part, minlength=len(shares)) for part in (bins[:n], bins[n:]))
    return real, fake


def calibrated_frontier(
    scores: HeldOut, order: float = 1.0, kind: Kind = "inclusive", points: int = 101
) -> Frontier:
    """The frontier of the histograms of held-out scores, from R = P to R = Q; half a count is added to every bin.

    Scores lose what the classifier does not see, so that the frontier of their laws is no worse than that of P and Q
    (Djolonga et al. 2020, Proposition 8). Bins that are found on the samples they count make it a little worse. The
    added counts (Krichevsky & Trofimov; Liu et al. 2021 for frontiers) keep a bin of few samples from standing for a
    ratio that no sample shows: divergences are at most log(2n + 1) or so.
    """
    return histogram_frontier(*calibrated_histograms(scores), order, kind, walk(points))


def _shares_of_reals(scores: HeldOut) -> NDArray[np.float64]:
    """p/(p + q) at held-out reals and then fakes, rising with the score, both sets weighing the same → (n + m,)."""
    from sklearn.isotonic import IsotonicRegression

    n, m = len(scores.real), len(scores.fake)
    both = np.concatenate([scores.real, scores.fake])
    labels = np.concatenate([np.ones(n), np.zeros(m)])
    weights = np.concatenate([np.full(n, 1 / n), np.full(m, 1 / m)])
    fitted = IsotonicRegression(out_of_bounds="clip").fit_transform(both, labels, sample_weight=weights)
    return np.asarray(fitted, dtype=np.float64)
