"""Amari's α-divergences, any real α: KL at 1, reverse KL at 0, 2·Hellinger² at ½, ½χ² at 2."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

from trainables.divergences.record import Divergence, Function

__all__ = ["amari", "inverse_softplus", "log_softplus", "softplus"]


def softplus(w: Tensor) -> Tensor:
    """log(1 + e^w), exact in both tails (torch's own turns linear at w = 20, an error of 2e-9)."""
    return -functional.logsigmoid(-w)


def log_softplus(w: Tensor) -> Tensor:
    """log log(1 + e^w), which is w for w → -∞: neither it nor its gradient meets log 0 in float32."""
    low = w < -15
    return torch.where(low, w, torch.log(softplus(torch.where(low, 0, w))))


def inverse_softplus(s: Tensor) -> Tensor:
    """The w with softplus(w) = s > 0: w = s + log(1 - e^{-s})."""
    return s + torch.log(-torch.expm1(-s))


def _box_cox(x: Tensor, power: float) -> Tensor:
    """(e^{power·x} - 1)/power, and its limit x at power 0."""
    return torch.expm1(power * x) / power if power else x


def _f(u: Tensor, alpha: float) -> Tensor:
    """f(u) = (u^α - αu + α - 1)/(α(α-1)), written to stay exact as α → 0 and α → 1."""
    positive = torch.where(u > 0, u, 1)
    log_u = torch.log(positive)
    if alpha > 0.5:
        value = (positive * _box_cox(log_u, alpha - 1) - (positive - 1)) / alpha
    else:
        value = (_box_cox(log_u, alpha) - (positive - 1)) / (alpha - 1)
    return torch.where(u > 0, value, 1 / alpha if alpha > 0 else math.inf)


def _conjugate(t: Tensor, alpha: float) -> Tensor:
    """f*(t) = ([1+(α-1)t]^{α/(α-1)} - 1)/α; below the range of f′ (α > 1) -1/α, above it (α < 1) +inf."""
    if alpha == 1:
        return torch.expm1(t)
    base = 1 + (alpha - 1) * t
    inside = base > 0
    value = _box_cox(_log_ratio_of_output(torch.where(inside, t, 0), alpha), alpha)
    if alpha > 1:
        return torch.where(inside, value, -1 / alpha)
    # At t = f′(∞) the conjugate is finite for α < 0 only.
    at_edge = -1 / alpha if alpha < 0 else math.inf
    return torch.where(inside, value, torch.where(base < 0, torch.full_like(base, math.inf), at_edge))


def _log_ratio_of_output(t: Tensor, alpha: float) -> Tensor:
    """log r = log(1+(α-1)T)/(α-1), the inverse of T = (r^{α-1} - 1)/(α-1)."""
    return torch.log1p((alpha - 1) * t) / (alpha - 1) if alpha != 1 else t


def _critic(alpha: float) -> tuple[Function, Function, Function, Function]:
    """activation, conjugate_of_activation, log_ratio and optimal_logit of D_α."""
    if alpha >= 2:
        power = alpha / (alpha - 1)
        return (
            lambda w: (softplus(w) - 1) / (alpha - 1),
            lambda w: (softplus(w) ** power - 1) / alpha,
            lambda w: torch.log(softplus(w)) / (alpha - 1),
            lambda r: inverse_softplus(r ** (alpha - 1)),
        )
    scale = max(1.0, alpha, 1 - alpha)
    return (
        lambda w: _box_cox(w / scale, alpha - 1),
        lambda w: _box_cox(w / scale, alpha),
        lambda w: w / scale,
        lambda r: scale * torch.log(r),
    )


def amari(alpha: float) -> Divergence:
    """D_α(P‖Q) = ∫ q [(p/q)^α - 1] / (α(α-1)), with f″(u) = u^{α-2}; reversed, it is D_{1-α}.

    The critic's logit is w = s log r with s = max(1, α, 1-α), so that nothing overflows float32 for |w| ≤
    60. From α = 2 on, r^{α-1} = softplus(w) instead: the output then grows linearly, as Pearson's χ² does
    (α = 2). Reference: Amari, Information Geometry and Its Applications, 2016; thesis table 2.1.
    """
    alpha = float(alpha)
    if not math.isfinite(alpha):
        raise ValueError(f"α of an Amari divergence must be finite, got {alpha}")
    activation, conjugate_of_activation, log_ratio, optimal_logit = _critic(alpha)
    return Divergence(
        name=f"amari({alpha:g})",
        f=lambda u: _f(u, alpha),
        f_prime=lambda u: _box_cox(torch.log(u), alpha - 1),
        f_second=lambda u: u ** (alpha - 2),
        conjugate=lambda t: _conjugate(t, alpha),
        activation=activation,
        conjugate_of_activation=conjugate_of_activation,
        log_ratio=log_ratio,
        ratio=lambda t: torch.exp(_log_ratio_of_output(t, alpha)),
        optimal_logit=optimal_logit,
        at_zero=1 / alpha if alpha > 0 else math.inf,
        slope_at_infinity=1 / (1 - alpha) if alpha < 1 else math.inf,
        reversal=lambda: amari(1 - alpha),
        strong_convexity=1.0 if alpha == 2 else 0.0,
    )
