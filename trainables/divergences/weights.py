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
# In v = 1/λ the integrand decays like a power beyond the last finite ratio when P and Q differ in support. In
# log v that is an exponential; this many units reach 1e-15 for powers down to 0.15 before λ⁻³ overflows.
_TAIL = 230.0


def weight(div: Divergence, lam: Tensor) -> Tensor:
    """w(λ) = λ⁻³ f″(1/λ) ≥ 0, how much D_f cares about trade-off λ: 1/λ² for KL, 1/λ for reverse KL.

    ValueError where the weight is a point mass (TV at λ = 1, PR-λ at λ; see `Divergence.weight_atom`).
    Reference: thesis theorem 4.3.1 (minimising D_f maximises the weighted α_λ; sign as in docs/errata.md).
    """
    return lam**-3 * div.f_second(1 / lam)


def rebuild(div: Divergence, p: Tensor, q: Tensor) -> Tensor:
    """D_f(P‖Q) of two discrete laws from D_λ alone, by Gauss-Legendre quadrature in log λ.

    D_λ is linear in λ between the points q_i/p_i and 1, and vanishes beyond them; panels are cut there, so
    that the integrand is smooth on each. Shapes: p, q (n,) float64; result a scalar.
    """
    if div.weight_atom is not None:
        lam, mass = div.weight_atom
        return mass * pr_divergence(p, q, lam)
    if _infinite(div, p, q):
        return torch.full((), math.inf, dtype=p.dtype)
    log_lam, widths = _nodes(p, q)
    lam = torch.exp(log_lam)
    return div.constant + (widths * lam * weight(div, lam) * pr_divergence(p, q, lam)).sum()


def _infinite(div: Divergence, p: Tensor, q: Tensor) -> bool:
    spurious = bool(((p <= 0) & (q > 0)).any()) and math.isinf(float(div.at_zero))
    missed = bool(((q <= 0) & (p > 0)).any()) and math.isinf(float(div.slope_at_infinity))
    return spurious or missed


def _nodes(p: Tensor, q: Tensor) -> tuple[Tensor, Tensor]:
    """Quadrature nodes in log λ and their weights, on panels cut at every kink of D_λ."""
    support = (p > 0) | (q > 0)
    kinks = torch.log(q[support] / p[support]).clamp(-_TAIL, _TAIL).tolist()
    cuts = sorted({0.0, *kinks})
    edges = np.concatenate(
        [np.linspace(a, b, max(1, math.ceil((b - a) / _PANEL)) + 1)[:-1] for a, b in pairwise(cuts)]
        + [np.array(cuts[-1:])]
    )
    x, w = np.polynomial.legendre.leggauss(_NODES)
    half = np.diff(edges)[:, None] / 2
    centre = (edges[1:] + edges[:-1])[:, None] / 2
    return p.new_tensor((centre + half * x).ravel()), p.new_tensor((half * w).ravel())
