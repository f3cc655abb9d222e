"""The PR-divergence D_λ, whose value is the precision missing at trade-off λ: α_λ = min(1,λ) - D_λ(P‖Q).

Written with two weights, f(u) = max(a·u, b) - max(a, b): a = λ on P and b = 1 on Q. Exchanging P and Q
exchanges a and b, which is the identity D_λ(Q‖P) = λ D_{1/λ}(P‖Q) without a division. The pure functions
take a and b as numbers or tensors that broadcast, so a pack trains many λ at once.

Reference: Vérine et al., Precision-Recall Divergence Optimization, 2023; thesis ch. 4 (4.6 and 4.8
corrected).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from trainables.divergences.record import Divergence, Scalar, undefined

__all__ = ["pr", "pr_conjugate", "pr_divergence", "pr_f", "pr_f_prime"]


def _like(value: Scalar, other: Tensor) -> Tensor:
    """A number as a tensor beside another, without a copy from the host, which a CUDA graph cannot hold."""
    if isinstance(value, Tensor):
        return value.to(other)
    return torch.full((), float(value), dtype=other.dtype, device=other.device)


def _finite(weight: Tensor) -> Tensor:
    return torch.where(torch.isinf(weight), 0, weight)


def pr_f(u: Tensor, lam: Scalar, fake: Scalar = 1.0) -> Tensor:
    """f(u) = max(λu, b) - max(λ, b), b = `fake` (1).

    At λ = ∞ the divergence is Q(p = 0): f(u) = b·1{u = 0}. At b = ∞ it is λ P(q = 0): f = 0 on finite u.
    Both are the limits up to a multiple of u - 1. Shapes: u, λ and b broadcast.
    """
    a, b = _like(lam, u), _like(fake, u)
    finite = torch.maximum(_finite(a) * u, _finite(b)) - torch.maximum(_finite(a), _finite(b))
    limit = torch.where(torch.isinf(b), torch.zeros_like(u), b * (u == 0))
    return torch.where(torch.isinf(a) | torch.isinf(b), limit, finite)


def pr_f_prime(u: Tensor, lam: Scalar, fake: Scalar = 1.0) -> Tensor:
    """f′(u) = λ·1{λu > b}, the optimal critic; 0 on u > 0 at the limits λ = ∞ and b = ∞."""
    a, b = _like(lam, u), _like(fake, u)
    limit = torch.isinf(a) | torch.isinf(b)
    return torch.where(~limit & (_finite(a) * u > b), a, 0)


def pr_conjugate(t: Tensor, lam: Scalar, fake: Scalar = 1.0) -> Tensor:
    """f*(t) = tb/λ - b + max(λ, b) on [0, λ], constant below, +inf above; where λ or b is ∞, as for λ = 0."""
    a, b = _like(lam, t), _like(fake, t)
    limit = torch.isinf(a) | torch.isinf(b)
    a, b = torch.where(limit, 0, a), torch.where(limit, 0, b)
    slope = torch.where(a > 0, b / torch.where(a > 0, a, 1), 0)
    return torch.where(t <= a, t.clamp(min=0) * slope - b + torch.maximum(a, b), math.inf)


def pr_divergence(p: Tensor, q: Tensor, lam: Scalar) -> Tensor:
    """D_λ(P‖Q) = Σ(λp - q)₊ for λ ≤ 1, Σ(q - λp)₊ for λ ≥ 1: a sum of non-negative terms, exact when tiny.

    Shapes: p, q (n,), λ any; result as λ. At λ = ∞ it is Q(p = 0), at λ = 0 it is 0.
    """
    weight = _like(lam, p)[..., None]
    real = torch.where(p > 0, weight * torch.where(p > 0, p, 1), 0)
    return torch.where(weight <= 1, real - q, q - real).clamp(min=0).sum(-1)


def pr(lam: Scalar) -> Divergence:
    """The PR-divergence D_λ for λ in [0, ∞], a number or a tensor that broadcasts with the ratios.

    Its optimal critic λ·1{λr > 1} is a step, so T = λ·sigmoid(w) learns on which side of 1/λ the ratio
    lies, not the ratio. It has no critic at λ = ∞: Q(p = 0) is not lower semicontinuous, and its dual bound
    is 0.
    """
    weights = torch.as_tensor(lam)
    if bool((torch.isnan(weights) | (weights < 0)).any()):
        raise ValueError(f"λ of a PR-divergence must be in [0, ∞], got {lam}")
    return _pr(lam, 1.0)


def _pr(lam: Scalar, fake: Scalar) -> Divergence:
    a, b = torch.as_tensor(lam, dtype=torch.float64), torch.as_tensor(fake, dtype=torch.float64)
    trainable = bool(torch.isfinite(a).all() and torch.isfinite(b).all())
    label = _label(lam, fake)
    no_critic = undefined(f"{label} has no critic: at λ = ∞ the divergence is a mass outside a support")
    no_ratio = undefined(
        f"{label} does not recover the density ratio: f is piecewise linear; train with chi2"
    )

    def activation(w: Tensor) -> Tensor:
        return _like(lam, w) * torch.sigmoid(w)

    def conjugate_of_activation(w: Tensor) -> Tensor:
        a, b = _like(lam, w), _like(fake, w)
        return torch.maximum(a, b) - b * torch.where(a > 0, torch.sigmoid(-w), 1)

    def level(value: Tensor) -> Scalar:
        return value if isinstance(lam, Tensor) or isinstance(fake, Tensor) else float(value)

    limit = torch.isinf(a) | torch.isinf(b)
    at_zero = torch.where(torch.isinf(a), b, torch.where(torch.isinf(b), 0, b - torch.maximum(a, b)))
    return Divergence(
        name=label,
        f=lambda u: pr_f(u, lam, fake),
        f_prime=lambda u: pr_f_prime(u, lam, fake),
        f_second=undefined(
            f"f″ of {label} does not exist: f has a kink at u = 1/λ; its weight is an atom at λ"
        ),
        conjugate=lambda t: pr_conjugate(t, lam, fake),
        activation=activation if trainable else no_critic,
        conjugate_of_activation=conjugate_of_activation if trainable else no_critic,
        log_ratio=no_ratio,
        ratio=no_ratio,
        optimal_logit=undefined(f"the optimal logit of {label} is infinite: its optimal critic is 0 or λ"),
        at_zero=level(at_zero),
        slope_at_infinity=level(torch.where(torch.isinf(a), 0, a)),
        reversal=lambda: _pr(fake, lam),
        recovers_ratio=False,
        lipschitz=level(torch.where(limit, math.inf, a)),
        weight_atom=(level(a / b), level(b)) if bool(torch.isfinite(b).all()) else None,
    )


def _label(lam: Scalar, fake: Scalar) -> str:
    if isinstance(lam, Tensor) or isinstance(fake, Tensor):
        return "pr(λ tensor)" if not isinstance(fake, Tensor) else "pr(λ tensor) reversed"
    return f"pr({lam:g})" if fake == 1 else f"pr({fake:g}) reversed"
