"""The curve in other words: the PR-divergence, the best set, and the limit of the precision-recall cover."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from trainables.precision_recall.curve import PRCurve

__all__ = ["best_set", "cover_on_the_line", "curve_from_pr_divergence", "set_gap"]


def curve_from_pr_divergence(lambdas: Any, values: Any) -> PRCurve:
    """α_λ = min(1, λ) - D_λ(P‖Q) and β_λ = α_λ/λ: the inverse of ``PRCurve.pr_divergence``.

    Args:
        lambdas: λ in (0, ∞), shape (L,), rising. At 0 and ∞ D_λ no longer tells the supports.
        values: D_λ(P‖Q), shape (…, L).

    Reference: thesis, Theorem 4.2.4, with (4.8) corrected.
    """
    lam = np.asarray(lambdas, dtype=np.float64)
    if not ((lam > 0) & np.isfinite(lam)).all() or (np.diff(lam) < 0).any():
        raise ValueError("trade-offs λ must rise within (0, ∞) to turn divergences into a curve")
    precision = np.minimum(1.0, lam) - np.asarray(values, dtype=np.float64)
    return PRCurve(lam, precision, precision / lam)


def best_set(p: Tensor, q: Tensor, lam: float) -> Tensor:
    """The set A on which |λP(A) - Q(A)| is largest, as a mask over the atoms, shape (N,).

    For λ ≥ 1 it is {λp > q}, where P has too much; for λ < 1 it is {λp < q}. Then
    D_λ(P‖Q) = |λP(A) - Q(A)| - |λ - 1|.

    Reference: thesis, Lemma 4.4.1.
    """
    return lam * p > q if lam >= 1 else lam * p < q


def set_gap(p: Tensor, q: Tensor, mask: Tensor, lam: float) -> Tensor:
    """|λP(A) - Q(A)| for a set A given as a mask over the atoms; scalar."""
    return (lam * p[mask].sum() - q[mask].sum()).abs()


def cover_on_the_line(
    cdf: Callable[[Tensor], Tensor],
    ball_cdf: Callable[[Tensor], Tensor],
    centres: Tensor,
    ball_mass: float,
    threshold: float,
    weights: Tensor | None = None,
) -> Tensor:
    """The share of centres whose ball of mass b under their own law has mass ≥ a under the other.

    With centres from Q, ``ball_cdf`` of Q and ``cdf`` of P this is PC_{a,b}; with the laws exchanged,
    RC_{a,b}. As b → 0, PC_{b/λ, b} + λ RC_{bλ, b} → α_λ where {p = q/λ} has no mass: the limit printed as
    (4.32) has λ on the wrong term, and the definition's a ≤ b has to be dropped for λ < 1.

    Args:
        cdf, ball_cdf: continuous distribution functions on the line, (n,) → (n,).
        centres: samples or quadrature nodes of the law of ``ball_cdf``, shape (n,).
        ball_mass: b in (0, 1).
        threshold: a > 0.
        weights: mass of each centre; equal if left out.

    Reference: Cheema & Urner 2023; thesis, Definition 3.3.4 and Theorem 4.3.3.
    """
    low = torch.zeros_like(centres)
    high = torch.ones_like(centres)
    while bool((too_small := ball_cdf(centres + high) - ball_cdf(centres - high) < ball_mass).any()):
        high = torch.where(too_small, 2 * high, high)
    for _ in range(60):
        middle = (low + high) / 2
        inside = ball_cdf(centres + middle) - ball_cdf(centres - middle) < ball_mass
        low, high = torch.where(inside, middle, low), torch.where(inside, high, middle)
    covered = (cdf(centres + high) - cdf(centres - high) >= threshold).to(torch.float64)
    return covered.mean() if weights is None else (covered * weights).sum() / weights.sum()
