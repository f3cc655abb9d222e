"""Every f-divergence is a mixture of PR-divergences: D_f = f(1) + ∫₀^∞ λ⁻³ f″(1/λ) D_λ dλ."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from trainables.divergences.precision_recall import pr_divergence
from trainables.divergences.record import Divergence

__all__ = ["rebuild", "weight"]

_NODES = 16
_PANEL = 1.0
_WIDEST = 230.0
"""Largest |log q/p| of an atom that both laws have: beyond, λ⁻³ overflows."""


def weight(div: Divergence, lam: Tensor) -> Tensor:
    """w(λ) = λ⁻³ f″(1/λ) ≥ 0, how much D_f cares about trade-off λ: 1/λ² for KL, 1/λ for reverse KL.

    ValueError where the weight is a point mass (TV at λ = 1, PR-λ at λ; see `Divergence.weight_atom`).
    Reference: thesis theorem 4.3.1 (minimising D_f maximises the weighted α_λ; sign as in docs/errata.md).
    """
    return lam**-3 * div.f_second(1 / lam)


def rebuild(div: Divergence, p: Tensor, q: Tensor) -> Tensor:
    """D_f(P‖Q) of two discrete laws from D_λ alone: quadrature in log λ between its kinks, closed tails beyond them.

    D_λ is linear in λ between the points q_i/p_i and 1; Gauss-Legendre panels are cut there, so that the integrand is
    smooth on each. Shapes: p, q (n,) float64; result a scalar.
    """
    if div.weight_atom is not None:
        lam, mass = div.weight_atom
        return mass * pr_divergence(p, q, lam)
    if _infinite(div, p, q):
        return torch.full((), math.inf, dtype=p.dtype)
    cuts = _cuts(p, q)
    log_lam, widths = _nodes(cuts, p)
    lam = torch.exp(log_lam)
    between = (widths * lam * weight(div, lam) * pr_divergence(p, q, lam)).sum()
    return div.constant + between + _tails(div, p, q, cuts)


def _infinite(div: Divergence, p: Tensor, q: Tensor) -> bool:
    spurious = bool(((p <= 0) & (q > 0)).any()) and math.isinf(float(div.at_zero))
    missed = bool(((q <= 0) & (p > 0)).any()) and math.isinf(float(div.slope_at_infinity))
    return spurious or missed


def _tails(div: Divergence, p: Tensor, q: Tensor, cuts: list[float]) -> Tensor:
    """∫ λ⁻³ f″(1/λ) D_λ dλ below the first kink and above the last, where laws of different supports leave D_λ > 0.

    Below, D_λ = λ P(q = 0); with v = 1/λ the integral is P(q = 0) ∫_v^∞ f″ = P(q = 0) (f′(∞) - f′(v)). Above,
    D_λ = Q(p = 0), and it is Q(p = 0) ∫₀^v s f″(s) ds = Q(p = 0) (v f′(v) - f(v) + f(0)). No finite range of λ would
    do: near its limits Amari's integrand decays like λ^{1-α} or λ^{-α}, as slowly as one likes.
    """
    missed, spurious = p[q <= 0].sum(), q[p <= 0].sum()
    total = torch.zeros((), dtype=p.dtype)
    if missed > 0:
        v = p.new_tensor(math.exp(-cuts[0]))
        total = total + missed * (div.slope_at_infinity - div.f_prime(v))
    if spurious > 0:
        v = p.new_tensor(math.exp(-cuts[-1]))
        total = total + spurious * (v * div.f_prime(v) - div.f(v) + div.at_zero)
    return total


def _cuts(p: Tensor, q: Tensor) -> list[float]:
    """log λ at the kinks of D_λ, in order: 0, and log q_i/p_i of the atoms that both laws have."""
    both = (p > 0) & (q > 0)
    kinks = (torch.log(q[both]) - torch.log(p[both])).tolist()
    if kinks and max(map(abs, kinks)) > _WIDEST:
        raise ValueError(
            f"rebuild takes laws whose ratios lie within e^±{_WIDEST:g}, got log q/p = {max(kinks, key=abs):.4g}; "
            "set such an atom to 0"
        )
    return sorted({0.0, *kinks})


def _nodes(cuts: list[float], like: Tensor) -> tuple[Tensor, Tensor]:
    """Quadrature nodes in log λ and their weights, on panels cut at every kink of D_λ."""
    edges = np.concatenate(
        [np.linspace(a, b, max(1, math.ceil((b - a) / _PANEL)) + 1)[:-1] for a, b in pairwise(cuts)]
        + [np.array(cuts[-1:])]
    )
    x, w = np.polynomial.legendre.leggauss(_NODES)
    half = np.diff(edges)[:, None] / 2
    centre = (edges[1:] + edges[:-1])[:, None] / 2
    return like.new_tensor((centre + half * x).ravel()), like.new_tensor((half * w).ravel())
