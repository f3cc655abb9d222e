"""What a critic proves about a divergence: the dual bound, the primal estimate and how far off it can be."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from trainables.divergences.record import Divergence

__all__ = ["bregman", "dual_bound", "primal_error_bound", "primal_estimate"]


def _mean(values: Tensor, weights: Tensor | None) -> Tensor:
    return values.mean(-1) if weights is None else (weights * values).sum(-1)


def bregman(div: Divergence, a: Tensor, b: Tensor) -> Tensor:
    """Breg_f(a, b) = f(a) - f(b) - f′(b)(a - b) ≥ 0: how far f lies above its tangent at b, seen at a.

    With the true ratio a = p/q and the estimate b = r̂ of a critic T, E_Q[Breg_f(a, b)] is what the dual bound
    falls short of D_f. Shapes: a and b broadcast. Reference: thesis definition 5.2.2; theorem 5.2.3 prints the
    two exchanged, see docs/errata.md.
    """
    return div.f(a) - div.f(b) - div.f_prime(b) * (a - b)


def dual_bound(
    div: Divergence,
    t_real: Tensor,
    t_fake: Tensor,
    *,
    weights_real: Tensor | None = None,
    weights_fake: Tensor | None = None,
) -> Tensor:
    """E_P[T] - E_Q[f*(T)] ≤ D_f(P‖Q), with equality at T = f′(p/q).

    t_real, t_fake are critic outputs T (not logits), (..., n) and (..., m); the expectations run over the
    last axis, uniform unless weights that sum to 1 are given. Reference: Nguyen et al., 2010; Nowozin et
    al., 2016, (4).
    """
    return _mean(t_real, weights_real) - _mean(div.conjugate(t_fake), weights_fake)


def primal_estimate(
    div: Divergence,
    *,
    ratio: Tensor | None = None,
    log_ratio: Tensor | None = None,
    weights: Tensor | None = None,
) -> Tensor:
    """E_Q[f(r̂)], the divergence read off an estimated ratio on samples of **Q**, over the last axis.

    The ratio may come from a critic trained on another divergence of the family, which is how D_λ is read
    through χ². It is a value, not a loss: with r̂ frozen its gradient is not that of the divergence (erratum G8).
    Reference: thesis definition 5.2.1; (5.11) prints the expectation under P, see docs/errata.md.
    """
    if ratio is not None and log_ratio is None:
        return _mean(div.f(ratio), weights)
    if log_ratio is not None and ratio is None:
        return _mean(div.f(torch.exp(log_ratio)), weights)
    raise ValueError("primal_estimate takes exactly one of ratio and log_ratio")


def primal_error_bound(sigma: float, epsilon: float, mu: float) -> float:
    """|D_f - E_Q[f(r̂)]| ≤ σ√(2ε/μ).

    f is σ-Lipschitz, r̂ = (g*)′(T) comes from an auxiliary divergence g that is μ-strongly convex on the
    ratios that occur, and ε = D_g - dual_bound(g, T) is how far the critic is from optimal.
    Reference: thesis (5.25).
    """
    if sigma < 0 or epsilon < 0 or mu < 0:
        raise ValueError(f"σ, ε and μ must be non-negative, got σ={sigma}, ε={epsilon}, μ={mu}")
    if sigma == 0 or epsilon == 0:
        return 0.0
    return math.inf if mu == 0 else sigma * math.sqrt(2 * epsilon / mu)
