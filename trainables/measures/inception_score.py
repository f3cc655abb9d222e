"""The Inception Score of generated samples from their class probabilities.

Salimans et al., *Improved Techniques for Training GANs*, 2016; Barratt & Sharma, *A Note on the Inception Score*, 2018.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from trainables.measures.arrays import as_features
from trainables.measures.bootstrap import weight_draws

__all__ = ["inception_score", "inception_score_draws"]


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


def inception_score_draws(
    logits: Tensor | np.ndarray, splits: int, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """The score of ``draws`` bootstrap samples, each split resampled within itself → (draws,)."""
    scores = np.zeros(draws)
    for part in _log_probabilities(logits, splits).tensor_split(splits):
        p = part.exp()
        negative_entropy = (p * part).sum(dim=1)
        at = 0
        for weights in weight_draws(len(part), draws, rng):
            w = torch.from_numpy(weights).to(p) / len(part)
            marginal = w @ p
            gain = w @ negative_entropy - torch.special.xlogy(marginal, marginal).sum(dim=1)
            scores[at : at + len(w)] += gain.exp().cpu().numpy() / splits
            at += len(w)
    return scores


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
