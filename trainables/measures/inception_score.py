"""The Inception Score of generated samples from their class probabilities.

Salimans et al., *Improved Techniques for Training GANs*, 2016; Barratt & Sharma, *A Note on the Inception Score*, 2018.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from trainables.measures.arrays import as_features

__all__ = ["ScoreLimit", "inception_score", "inception_score_limit"]

_ROWS = 4096  # left out at a time


def inception_score(logits: Tensor | np.ndarray, splits: int = 10) -> tuple[float, float]:
    """exp(E_x KL(p(y|x) ‖ p(y))) over consecutive splits of ``logits`` (N, classes): mean and standard deviation.

    p(y) is the marginal **of the generated samples of the split**. Ten splits by convention; the score depends on
    their number, since small splits have narrower marginals. The order of the samples matters too: shuffle them
    if they are sorted by class. Between 1 and the number of classes.
    """
    log_p = _log_probabilities(logits, splits)
    scores = [_score(part) for part in log_p.tensor_split(splits)]
    values = torch.stack(scores)
    return float(values.mean()), float(values.std(correction=0))


@dataclass(frozen=True)
class ScoreLimit:
    """What log IS tends to with more samples: its value without bias, the bias of one split, the standard error.

    Attributes:
        value: log IS of endless samples.
        bias: by how much log IS of all samples in one split lies below it; of m samples it is N/m times as much.
        error: of ``value``.
    """

    value: float
    bias: float
    error: float


def inception_score_limit(logits: Tensor | np.ndarray) -> ScoreLimit:
    """The jackknife of log IS = H(p̄) - mean_i H(p_i), all ``logits`` (N, classes) in one split, N ≥ 2; O(N·classes).

    Without sample i the marginal is (N p̄ - p_i)/(N-1), so that every T_(i) is a row of one array. The bias is
    (N-1)(mean T_(i) - T) and the variance (N-1)/N Σ (T_(i) - mean)² (Efron & Stein 1981).
    """
    log_p = _log_probabilities(logits, 1)
    n = len(log_p)
    if n < 2:
        raise ValueError("an interval of the Inception Score needs at least 2 samples, got 1")
    p = log_p.exp()
    negative_entropy = (p * log_p).sum(dim=1)
    total, sums = negative_entropy.sum(), p.sum(dim=0)
    marginal = sums / n
    whole = float(total / n - torch.special.xlogy(marginal, marginal).sum())
    without = []
    for rows, own in zip(p.split(_ROWS), negative_entropy.split(_ROWS), strict=True):
        left = ((sums - rows) / (n - 1)).clamp_min_(
            0.0
        )  # rounding below zero where one sample holds a class alone
        without.append((total - own) / (n - 1) - torch.special.xlogy(left, left).sum(dim=1))
    scores = torch.cat(without)
    bias = -(n - 1) * float(scores.mean() - whole)
    return ScoreLimit(whole + bias, bias, float(((n - 1) * scores.var(correction=0)).sqrt()))


def _log_probabilities(logits: Tensor | np.ndarray, splits: int) -> Tensor:
    values = as_features(logits, "logits").double()
    if values.shape[1] < 2:
        raise ValueError(
            f"the Inception Score needs at least 2 classes, got logits of shape {tuple(values.shape)}"
        )
    if not 1 <= splits <= len(values):
        raise ValueError(f"splits must lie between 1 and the number of samples {len(values)}, got {splits}")
    return values.log_softmax(dim=1)


def _score(log_p: Tensor) -> Tensor:
    marginal = log_p.logsumexp(dim=0) - np.log(len(log_p))
    return torch.as_tensor((log_p.exp() * (log_p - marginal)).sum(dim=1).mean().exp())
