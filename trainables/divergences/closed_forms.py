"""The named members of the family, one record of formulas each (formulas as corrected in docs/errata.md)."""

from __future__ import annotations

import math
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from trainables.divergences.amari import amari, expm1, inverse_softplus, log_softplus, softplus
from trainables.divergences.omega import log_omega
from trainables.divergences.record import Divergence, undefined

__all__ = ["CHI2", "GAN", "HELLINGER", "JEFFREYS", "JS", "KL", "REVERSE_KL", "TV"]

_LOG2 = math.log(2)


def _u_log1p_inverse(u: Tensor) -> Tensor:
    """u log(1 + 1/u) = u log(1+u) - u log u, without the cancellation at large u; 0 at u = 0."""
    positive = torch.where(u > 0, u, 1)
    return torch.where(u > 0, positive * torch.log1p(1 / positive), 0)


def _log_two_minus_exp(x: Tensor) -> Tensor:
    """log(2 - e^x) for x < log 2, exact near x = 0 and in the lower tail."""
    return torch.log1p(-torch.expm1(x))


def _where(domain: Tensor, inside: Tensor, outside: float = math.inf) -> Tensor:
    return torch.where(domain, inside, outside)


# ∫ p log(p/q).
KL: Divergence = Divergence(
    name="kl",
    f=lambda u: torch.xlogy(u, u),
    f_prime=lambda u: 1 + torch.log(u),
    f_second=lambda u: 1 / u,
    conjugate=lambda t: torch.exp(t - 1),
    activation=lambda w: w,
    conjugate_of_activation=lambda w: torch.exp(w - 1),
    log_ratio=lambda w: w - 1,
    ratio=lambda t: torch.exp(t - 1),
    optimal_logit=lambda r: 1 + torch.log(r),
    at_zero=0.0,
    slope_at_infinity=math.inf,
    reversal=lambda: REVERSE_KL,
)

# ∫ q log(q/p).
REVERSE_KL: Divergence = Divergence(
    name="reverse_kl",
    f=lambda u: -torch.log(u),
    f_prime=lambda u: -1 / u,
    f_second=lambda u: u**-2,
    conjugate=lambda t: _where(t < 0, -1 - torch.log(torch.where(t < 0, -t, 1))),
    activation=lambda w: -torch.exp(-w),
    conjugate_of_activation=lambda w: w - 1,
    log_ratio=lambda w: w,
    ratio=lambda t: -1 / t,
    optimal_logit=torch.log,
    at_zero=math.inf,
    slope_at_infinity=0.0,
    reversal=lambda: KL,
)

# ½∫|p-q|, the PR-divergence at λ = 1. f′ is a step, so a critic learns the sign of p-q and no ratio.
TV: Divergence = Divergence(
    name="tv",
    f=lambda u: (u - 1).abs() / 2,
    f_prime=lambda u: torch.sign(u - 1) / 2,
    f_second=undefined(
        "f″ of tv does not exist: f(u) = ½|u-1| has a kink at u = 1; its weight is an atom at λ = 1"
    ),
    conjugate=lambda t: _where(t <= 0.5, t.clamp(min=-0.5)),
    activation=lambda w: torch.tanh(w) / 2,
    conjugate_of_activation=lambda w: torch.tanh(w) / 2,
    log_ratio=undefined(
        "tv does not recover the density ratio: its f is not strictly convex; train with chi2"
    ),
    ratio=undefined("tv does not recover the density ratio: its f is not strictly convex; train with chi2"),
    optimal_logit=undefined(
        "the optimal logit of tv is infinite: its optimal critic sits at ±½, the ends of ½tanh"
    ),
    at_zero=0.5,
    slope_at_infinity=0.5,
    reversal=lambda: TV,
    recovers_ratio=False,
    lipschitz=0.5,
    weight_atom=(1.0, 1.0),
)

# KL + reverse KL. With y = log W(e^{1-t}), the ratio is e^{-y} and f*(t) = W + 1/W + t - 2 = e^{-y} - y - 1.
JEFFREYS: Divergence = Divergence(
    name="jeffreys",
    f=lambda u: (u - 1) * torch.log(u),
    f_prime=lambda u: 1 + torch.log(u) - 1 / u,
    f_second=lambda u: 1 / u + u**-2,
    conjugate=lambda t: torch.expm1(-log_omega(1 - t)) - log_omega(1 - t),
    activation=lambda w: w,
    conjugate_of_activation=lambda w: torch.expm1(-log_omega(1 - w)) - log_omega(1 - w),
    log_ratio=lambda w: -log_omega(1 - w),
    ratio=lambda t: torch.exp(-log_omega(1 - t)),
    optimal_logit=lambda r: 1 + torch.log(r) - 1 / r,
    at_zero=math.inf,
    slope_at_infinity=math.inf,
    reversal=lambda: JEFFREYS,
)

# ½KL(P‖M) + ½KL(Q‖M), M = (P+Q)/2.
JS: Divergence = Divergence(
    name="js",
    f=lambda u: ((1 + u) * _LOG2 - torch.log1p(u) - _u_log1p_inverse(u)) / 2,
    f_prime=lambda u: (_LOG2 + torch.log(u) - torch.log1p(u)) / 2,
    f_second=lambda u: 1 / (2 * u * (1 + u)),
    conjugate=lambda t: _where(t < _LOG2 / 2, -_log_two_minus_exp(torch.where(t < _LOG2 / 2, 2 * t, 0)) / 2),
    activation=lambda w: (_LOG2 + logsigmoid(w)) / 2,
    conjugate_of_activation=lambda w: (softplus(w) - _LOG2) / 2,
    log_ratio=lambda w: w,
    ratio=lambda t: torch.exp(2 * t) / -torch.expm1(2 * t - _LOG2) / 2,
    optimal_logit=torch.log,
    at_zero=_LOG2 / 2,
    slope_at_infinity=_LOG2 / 2,
    reversal=lambda: JS,
)

# 2·JS - log 4, the value of the original game; a divergence up to its constant.
GAN: Divergence = Divergence(
    name="gan",
    f=lambda u: -torch.log1p(u) - _u_log1p_inverse(u),
    f_prime=lambda u: torch.log(u) - torch.log1p(u),
    f_second=lambda u: 1 / (u * (1 + u)),
    conjugate=lambda t: _where(t < 0, -torch.log(-torch.expm1(torch.where(t < 0, t, -1)))),
    activation=logsigmoid,
    conjugate_of_activation=softplus,
    log_ratio=lambda w: w,
    ratio=lambda t: 1 / torch.expm1(-t),
    optimal_logit=torch.log,
    at_zero=0.0,
    slope_at_infinity=0.0,
    reversal=lambda: GAN,
    constant=-2 * _LOG2,
)

# ∫ (p-q)²/q, Pearson's. The only member strongly convex on the whole half-line: the auxiliary of PR-GAN.
CHI2: Divergence = Divergence(
    name="chi2",
    f=lambda u: (u - 1) ** 2,
    f_prime=lambda u: 2 * (u - 1),
    f_second=lambda u: torch.full_like(u, 2),
    conjugate=lambda t: (t.clamp(min=-2) / 2 + 1) ** 2 - 1,
    activation=lambda w: 2 * (softplus(w) - 1),
    conjugate_of_activation=lambda w: softplus(w) ** 2 - 1,
    log_ratio=log_softplus,
    ratio=lambda t: t / 2 + 1,
    optimal_logit=inverse_softplus,
    at_zero=1.0,
    slope_at_infinity=math.inf,
    # ∫ (p-q)²/p, Neyman's: Amari at α = -1, doubled.
    reversal=lambda: replace(amari(-1).scaled(2), name="neyman_chi2", reversal=lambda: CHI2),
    strong_convexity=2.0,
)

# ∫ (√p-√q)², squared and unnormalised: between 0 and 2.
HELLINGER: Divergence = Divergence(
    name="hellinger",
    f=lambda u: (torch.sqrt(u) - 1) ** 2,
    f_prime=lambda u: 1 - torch.rsqrt(u),
    f_second=lambda u: u**-1.5 / 2,
    conjugate=lambda t: _where(t < 1, t / (1 - torch.where(t < 1, t, 0))),
    activation=lambda w: -expm1(-w),
    conjugate_of_activation=expm1,
    log_ratio=lambda w: 2 * w,
    ratio=lambda t: (1 - t) ** -2,
    optimal_logit=lambda r: torch.log(r) / 2,
    at_zero=1.0,
    slope_at_infinity=1.0,
    reversal=lambda: HELLINGER,
)
