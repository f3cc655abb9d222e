"""Rényi divergences of any order, and the laws between P and Q that divergence frontiers walk along."""

from __future__ import annotations

import math

import torch
from torch import Tensor

__all__ = ["log_between", "renyi", "renyi_gaussian"]


def renyi(log_a: Tensor, log_b: Tensor, order: float) -> Tensor:
    """D_α(A‖B) = log(Σ_i a_i^α b_i^{1-α})/(α-1) for any order α in [0, ∞], shapes (…, N) → (…).

    The limits: -log B(a > 0) at α = 0, the Kullback-Leibler divergence at α = 1, log max a_i/b_i at α = ∞.

    Args:
        log_a, log_b: logarithms of probability vectors, -inf where there is no mass. A ``log_a`` that is -inf
            everywhere (no law at all) has divergence ∞ from everything.
        order: α.

    Reference: van Erven & Harremoës 2014; Djolonga et al. 2020, Definition 1.
    """
    if not order >= 0:
        raise ValueError(f"the order α of a Rényi divergence must be in [0, ∞], got {order:g}")
    present = log_a > -torch.inf
    log_ratio = torch.where(present, log_a - log_b, 0.0)  # +inf where b has no mass and a has
    if order == 0:
        divergence = -torch.where(present, log_b, -torch.inf).logsumexp(-1)
    elif order == 1:
        divergence = torch.where(present, log_a.exp() * log_ratio, 0.0).sum(-1)
    elif math.isinf(order):
        divergence = torch.where(present, log_ratio, -torch.inf).amax(-1)
    elif abs(order - 1) < 1e-2:
        # Σ a (a/b)^ε - 1 = Σ a (e^{ε log a/b} - 1): the log of a sum near 1 would lose its digits to 1/ε.
        excess = torch.where(present, log_a.exp() * torch.expm1((order - 1) * log_ratio), 0.0).sum(-1)
        divergence = torch.log1p(excess) / (order - 1)
    else:
        # a^α b^{1-α} = a (a/b)^{α-1}; for α < 1 atoms off B's support add nothing.
        terms = torch.where(present, log_a + (order - 1) * log_ratio, -torch.inf)
        divergence = terms.logsumexp(-1) / (order - 1)
    return torch.where(present.any(-1), divergence, torch.inf)


def renyi_gaussian(mean_a: Tensor, sigma_a: Tensor, mean_b: Tensor, sigma_b: Tensor, order: float) -> Tensor:
    """D_α(A‖B) of two Gaussians on the line, in closed form, for any order α in (0, ∞), broadcast.

    With s² = ασ_B² + (1-α)σ_A², the variance of the tilted law,

        D_α = log(σ_B/σ_A) + log(σ_B²/s²)/(2(α-1)) + α(μ_A-μ_B)²/(2s²),

    and ∞ where s² ≤ 0: A is so much wider than B that the integral diverges. α = 1 is the Kullback-Leibler divergence.

    Args:
        mean_a, mean_b: means.
        sigma_a, sigma_b: standard deviations, > 0.
        order: α.

    Reference: Gil, Alajaji & Linder 2013, as cited by Djolonga et al. 2020, Figure 2.
    """
    if not 0 < order < math.inf:
        raise ValueError(
            f"the closed form for Gaussians needs an order α in (0, ∞), got {order:g}; use renyi"
        )
    shift = (mean_a - mean_b).square()
    log_scales = sigma_b.log() - sigma_a.log()
    if order == 1:
        return log_scales + (sigma_a.square() + shift) / (2 * sigma_b.square()) - 0.5
    variance = order * sigma_b.square() + (1 - order) * sigma_a.square()
    inside = torch.where(variance > 0, variance, 1.0)
    tilted = (2 * sigma_b.log() - inside.log()) / (2 * (order - 1))
    return torch.where(variance > 0, log_scales + tilted + order * shift / (2 * inside), torch.inf)


def log_between(log_p: Tensor, log_q: Tensor, exponent: float, tilt: Tensor) -> Tensor:
    """log R, normalised, for R ∝ (π q^s + (1-π) p^s)^{1/s}: the power mean of P and Q with exponent s.

    The weight π follows the tilt t > 0 through its odds, π/(1-π) = t^{max(1, |s|)}. So R runs from P at
    t → 0 to Q at t → ∞ for every s, and the limits do not collapse: min(p, q/t) at s = -∞, max(p, tq) at
    s = +∞, q^π p^{1-π} at s = 0. For s = 1-α ≤ -1 the tilt is the λ of the curve, π = λ^{α-1}/(1+λ^{α-1}).

    Args:
        log_p, log_q: log-masses, or log-densities at common points, shapes (N,).
        exponent: s in [-∞, ∞].
        tilt: t in (0, ∞), shape (L,).

    Returns:
        log R, shape (L, N); -inf everywhere where no common mass is left.

    Reference: Djolonga et al. 2020, Proposition 1, whose two cases are exchanged in print.
    """
    log_t = tilt.log().unsqueeze(-1)
    if math.isinf(exponent):
        pick = torch.minimum if exponent < 0 else torch.maximum
        log_r = pick(log_p, log_q + math.copysign(1.0, exponent) * log_t)
    else:
        log_odds = max(1.0, abs(exponent)) * log_t
        log_pi, log_rest = torch.nn.functional.logsigmoid(log_odds), torch.nn.functional.logsigmoid(-log_odds)
        if exponent == 0:
            log_r = log_pi.exp() * log_q + log_rest.exp() * log_p
        else:
            log_r = torch.logaddexp(log_pi + exponent * log_q, log_rest + exponent * log_p) / exponent
    total = log_r.logsumexp(-1, keepdim=True)
    return torch.where(total > -torch.inf, log_r - total, -torch.inf)
