"""Curves from samples whose density ratio is known or estimated."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from trainables.precision_recall.curve import PRCurve
from trainables.precision_recall.ratio_law import RatioLaw

__all__ = ["curve_from_both_sides", "curve_from_log_ratio"]


def curve_from_log_ratio(
    log_ratio: Tensor, lambdas: Any, weights: Tensor | None = None, *, normalise: bool = False
) -> PRCurve:
    """α_λ ≈ mean_i min(λ r_i, 1) from log r = log p - log q at samples of Q.

    Args:
        log_ratio: shape (…, N): a pack of trials is read at once.
        lambdas: trade-offs in [0, ∞], shape (L,).
        weights: Q's mass on each sample, if not equal.
        normalise: divide r by its mean, so that β_0 = E_Q[r] = 1; for P ≪ Q and r known up to a constant.

    Returns:
        The curve with precision and recall of shape (…, L). With exact ratios α_λ is a mean of N values in
        [0, 1]: unbiased, with a standard error of at most 1/(2√N). Recall above 1 shows where mean r > 1:
        it is not clipped, since it tells that the ratios are not calibrated.
    """
    log_ratio = log_ratio.detach().to(torch.float64)
    if normalise:
        mass = torch.ones_like(log_ratio) if weights is None else weights.to(log_ratio).expand_as(log_ratio)
        log_total = (mass.log() + log_ratio).logsumexp(dim=-1, keepdim=True)
        log_ratio = log_ratio - log_total + mass.sum(dim=-1, keepdim=True).log()
    return RatioLaw.from_log_ratio(log_ratio, weights).curve(lambdas)


def curve_from_both_sides(log_ratio_at_real: Tensor, log_ratio_at_model: Tensor, lambdas: Any) -> PRCurve:
    """α_λ ≈ P(λr < 1)·λ + Q(λr ≥ 1), each probability from its own samples, capped at min(1, λ).

    Args:
        log_ratio_at_real: log p/q at samples of P, shape (…, N).
        log_ratio_at_model: log p/q at samples of Q, shape (…, M).
        lambdas: trade-offs in [0, ∞], shape (L,).

    Every set A bounds α_λ ≤ λP(A) + Q(Aᶜ), with equality at {λr < 1}. An estimated ratio therefore gives,
    up to the sampling error, an upper bound that is tight where the ratio is right about being above or
    below 1/λ; the cap is the same bound for the empty and the full set. Thresholds are fixed by λ, not
    chosen on the samples, so no selection bias enters. Reference: Simon et al. 2019, Theorem 5.
    """
    lam = torch.as_tensor(lambdas, dtype=torch.float64).sort().values
    edges = -lam.log()
    real_below = _share_below(log_ratio_at_real, edges)
    model_from = 1.0 - _share_below(log_ratio_at_model, edges)
    alpha = torch.where(real_below > 0, lam * real_below, 0.0) + model_from
    beta = real_below + torch.where(model_from > 0, model_from / lam, 0.0)
    return PRCurve(
        lam.numpy(),
        np.minimum(alpha.numpy(), np.minimum(1.0, lam.numpy())),
        np.minimum(beta.numpy(), np.minimum(1.0, (1.0 / lam).numpy())),
    )


def _share_below(log_ratio: Tensor, edges: Tensor) -> Tensor:
    """The share of samples with r < 1/λ (or r = 0, so that λ = ∞ asks for the support), shape (…, L)."""
    ordered = log_ratio.detach().to(torch.float64).sort(dim=-1).values
    where = edges.to(ordered.device).expand(*ordered.shape[:-1], edges.numel()).contiguous()
    zeros = (ordered == -torch.inf).sum(dim=-1, keepdim=True)
    below = torch.maximum(torch.searchsorted(ordered, where), zeros)
    return below.cpu().to(torch.float64) / ordered.shape[-1]
