"""Amari's α-divergences, any real α: KL at 1, reverse KL at 0, 2·Hellinger² at ½, ½χ² at 2."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

from trainables.divergences.record import Divergence, Function

__all__ = ["amari", "expm1", "inverse_softplus", "log_softplus", "softplus"]


def softplus(w: Tensor) -> Tensor:
    """log(1 + e^w), exact in both tails (torch's own turns linear at w = 20, an error of 2e-9)."""
    return -functional.logsigmoid(-w)


def log_softplus(w: Tensor) -> Tensor:
    """log log(1 + e^w), which is w - e^w/2 + … for w → -∞: neither it nor its gradient meets log 0 in float32."""
    low = w < -15
    tail = torch.exp(torch.where(low, w, -15))
    return torch.where(low, w - tail / 2 + tail**2 * (5 / 24), torch.log(softplus(torch.where(low, 0, w))))


def inverse_softplus(s: Tensor) -> Tensor:
    """The w with softplus(w) = s > 0: w = s + log(1 - e^{-s})."""
    return s + torch.log(-torch.expm1(-s))


def _inverse_log_softplus(x: Tensor) -> Tensor:
    """The w with log softplus(w) = x, which is x + e^x/2 + … for x → -∞, where e^x itself underflows."""
    low = x < -15
    tail = torch.exp(torch.where(low, x, -15))
    return torch.where(low, x + tail / 2 + tail**2 / 24, inverse_softplus(torch.exp(torch.where(low, 0, x))))


def expm1(x: Tensor) -> Tensor:
    """e^x - 1 with gradient e^x. Torch's own has the gradient expm1(x) + 1, which is 0 in float32 from x = -17 on."""
    low = x < -1
    return torch.where(low, torch.exp(x.clamp(max=-1)) - 1, torch.expm1(x.clamp(min=-1)))


def _box_cox(x: Tensor, power: float) -> Tensor:
    """(e^{power·x} - 1)/power, and its limit x at power 0."""
    return expm1(power * x) / power if power else x


def _f(u: Tensor, alpha: float, beta: float) -> Tensor:
    """f(u) = (u^α - αu + α - 1)/(α(α-1)), written to stay exact as α → 0 and β = 1 - α → 0."""
    positive = torch.where(u > 0, u, 1)
    log_u = torch.log(positive)
    if alpha > 0.5:
        value = (positive * _box_cox(log_u, -beta) - (positive - 1)) / alpha
    else:
        value = ((positive - 1) - _box_cox(log_u, alpha)) / beta
    return torch.where(u > 0, value, 1 / alpha if alpha > 0 else math.inf)


def _log_ratio_of_output(t: Tensor, beta: float) -> Tensor:
    """log r = log(1 - βT)/(-β), the inverse of T = (r^{-β} - 1)/(-β), where 1 - βT > 0."""
    return torch.log1p(-beta * t) / -beta if beta else t


def _conjugate(t: Tensor, alpha: float, beta: float) -> Tensor:
    """f*(t) = ([1+(α-1)t]^{α/(α-1)} - 1)/α; below the range of f′ (α > 1) -1/α, above it (α < 1) +inf."""
    base = 1 - beta * t
    inside = base > 0
    value = _box_cox(_log_ratio_of_output(torch.where(inside, t, 0), beta), alpha)
    if beta < 0:
        return torch.where(inside, value, -1 / alpha)
    # At t = f′(∞) the conjugate is finite for α < 0 only.
    at_edge = -1 / alpha if alpha < 0 else math.inf
    return torch.where(inside, value, torch.where(base < 0, torch.full_like(base, math.inf), at_edge))


def _ratio(t: Tensor, beta: float) -> Tensor:
    """r̂ = (f*)′(T) = (1 - βT)^{-1/β}; 0 below the range of f′ (α > 1), inf above it (α < 1)."""
    inside = 1 - beta * t > 0
    value = torch.exp(_log_ratio_of_output(torch.where(inside, t, 0), beta))
    return torch.where(inside, value, 0.0 if beta < 0 else math.inf)


def _critic(alpha: float, beta: float) -> tuple[Function, Function, Function, Function]:
    """activation, conjugate_of_activation, log_ratio and optimal_logit of D_α."""
    if alpha >= 2:
        power = alpha / (alpha - 1)
        return (
            lambda w: (softplus(w) - 1) / (alpha - 1),
            lambda w: (softplus(w) ** power - 1) / alpha,
            lambda w: log_softplus(w) / (alpha - 1),
            lambda r: _inverse_log_softplus((alpha - 1) * torch.log(r)),
        )
    scale = max(1.0, alpha, beta)
    return (
        lambda w: _box_cox(w / scale, -beta),
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
    return _amari(alpha, 1 - alpha)


def _amari(alpha: float, beta: float) -> Divergence:
    """D_α with β = 1 - α beside it: 1 - (1 - α) has lost the digits of a small α, which 1/α is made of."""
    activation, conjugate_of_activation, log_ratio, optimal_logit = _critic(alpha, beta)
    return Divergence(
        name=f"amari({alpha:g})",
        f=lambda u: _f(u, alpha, beta),
        f_prime=lambda u: _box_cox(torch.log(u), -beta),
        f_second=lambda u: u ** (-1 - beta),
        conjugate=lambda t: _conjugate(t, alpha, beta),
        activation=activation,
        conjugate_of_activation=conjugate_of_activation,
        log_ratio=log_ratio,
        ratio=lambda t: _ratio(t, beta),
        optimal_logit=optimal_logit,
        at_zero=1 / alpha if alpha > 0 else math.inf,
        slope_at_infinity=1 / beta if beta > 0 else math.inf,
        reversal=lambda: _amari(beta, alpha),
        strong_convexity=1.0 if alpha == 2 else 0.0,
    )
