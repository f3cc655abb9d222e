"""Divergence frontiers of two sample sets.

Djolonga et al., *Precision-Recall Curves Using Information Divergence Frontiers*, 2020.

Quantised: the frontier of the cluster histograms. From density ratios: a classifier's logit, calibrated to log p/q on
samples it has not seen, put into the frontier's expectations.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray

from trainables.measures.classifier_curve import HeldOut
from trainables.measures.prd import Quantised
from trainables.precision_recall.frontiers import Frontier, Kind, frontier_discrete, frontier_from_log_ratio

__all__ = ["calibrated_log_ratio", "quantised_frontier", "ratio_frontier", "tilts"]


def tilts(points: int = 101) -> NDArray[np.float64]:
    """Tilts from near P to near Q, equiangular as λ of a PR curve."""
    return np.tan(np.linspace(0, math.pi / 2, points + 2)[1:-1])


def quantised_frontier(
    sets: Quantised, order: float = 1.0, kind: Kind = "inclusive", points: int = 101
) -> Frontier:
    """The frontier of the histograms of the first clustering; half a count is added to every cluster.

    The added counts (Krichevsky & Trofimov) keep divergences finite when a cluster misses one set.
    """
    p, q = (counts[0] + 0.5 for counts in (sets.real, sets.fake))
    return frontier_discrete(p / p.sum(), q / q.sum(), order, kind, tilts(points))


def calibrated_log_ratio(scores: HeldOut) -> tuple[torch.Tensor, torch.Tensor]:
    """log p/q at held-out reals and fakes, from their scores by isotonic regression → (n,), (m,).

    The share of reals among samples of a given score is p/(p+q) when both sets weigh the same; isotonic regression is
    its maximum-likelihood estimate that rises with the score. Shares are kept half a sample away from 0 and 1.
    """
    from sklearn.isotonic import IsotonicRegression

    n, m = len(scores.real), len(scores.fake)
    both = np.concatenate([scores.real, scores.fake])
    labels = np.concatenate([np.ones(n), np.zeros(m)])
    weights = np.concatenate([np.full(n, 1 / n), np.full(m, 1 / m)])
    share = IsotonicRegression(out_of_bounds="clip").fit_transform(both, labels, sample_weight=weights)
    share = np.clip(share, 0.5 / (n + m), 1 - 0.5 / (n + m))
    log_ratio = torch.from_numpy(np.log(share) - np.log1p(-share))
    return log_ratio[:n], log_ratio[n:]


def ratio_frontier(
    scores: HeldOut, order: float = 1.0, kind: Kind = "inclusive", points: int = 101
) -> Frontier:
    """The frontier from calibrated density ratios at held-out samples."""
    return frontier_from_log_ratio(
        *calibrated_log_ratio(scores), order, kind, torch.from_numpy(tilts(points))
    )
