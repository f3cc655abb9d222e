"""Ceilings: upper bounds on the PR curve of any generator with a Lipschitz constraint, on given data.

A bound, not a prediction: no model that meets the assumptions lies above it; how close models come is not
said. Assumptions of the forward bound: Q = G#N(0, I_m), G is L-Lipschitz, G(0) is the given centre (or
anything, in ``forward_bound_any_centre``). Of the inverse bound: G is a bijection of ℝᵐ and G⁻¹ is
L₂-Lipschitz. P is the empirical law of the samples; given a risk δ, the bounds hold for the law behind
them with probability 1-δ, by the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart.

Reference: thesis, Theorems 4.4.3 and A.2.1, tightened: the printed -|λ-1| is replaced by -(1-λ)₊ and -(λ-1)₊.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trainables.precision_recall.curve import PRCurve
from trainables.precision_recall.links import curve_from_pr_divergence

__all__ = [
    "ceiling_curve",
    "forward_bound",
    "forward_bound_any_centre",
    "inverse_bound",
    "latent_ball_mass",
    "residual_flow_constants",
]

Array = NDArray[np.float64]


def latent_ball_mass(radius: Tensor, latent_dim: int) -> Tensor:
    """B_m(x) = γ(m/2, x²/2)/Γ(m/2): the mass N(0, I_m) puts on the ball of radius x around 0 (thesis, 4.42)."""
    mass: Tensor = torch.special.gammainc(torch.full_like(radius, latent_dim / 2), radius.square() / 2)
    return mass


def forward_bound(
    samples: Tensor,
    centre: Tensor,
    lipschitz: float,
    latent_dim: int,
    lambdas: Any,
    delta: float | None = None,
) -> Array:
    """D_λ ≥ sup_R [B_m(R/L) - λ P(ball(G(0), R))] - (1-λ)₊: an L-Lipschitz G cannot leave a hole around G(0).

    The supremum over R is reached just below a sample's distance, where P's mass has not yet risen.
    Distances are sorted once, and one concave envelope answers all λ: O(N log N + L log N).

    Args:
        samples: points of P, shape (N, d).
        centre: G(0), shape (d,).
        lipschitz: L > 0.
        latent_dim: m.
        lambdas: λ in (0, ∞), shape (L,).
        delta: if given, the bound holds with probability 1-δ for the law behind the samples.

    Returns:
        Lower bounds on D_λ(P‖Q), shape (L,), at least 0.
    """
    _check_constant(lipschitz)
    distances = torch.linalg.vector_norm(samples.cpu().double() - centre.cpu().double(), dim=-1)
    lam = _trade_offs(lambdas)
    return _forward(distances, lipschitz, latent_dim, lam, _deviation(delta, len(distances), 1))


def forward_bound_any_centre(
    samples: Tensor,
    lipschitz: float,
    latent_dim: int,
    lambdas: Any,
    cells: int = 64,
) -> Array:
    """The forward bound for every place G(0) may be: the least over a cover of the samples' box, in 1 or 2-D.

    Moving a centre to its projection on the box brings it closer to every sample, so centres outside
    bound no less than those inside. A centre within ε of a cell's middle has ball(·, R) inside
    ball(middle, R+ε), so each cell is answered by the distances to its middle less ε: the result is
    rigorous for any number of cells, and sharper with more. Arguments as in ``forward_bound``; ``cells``
    per axis. P is the empirical law of the samples.
    """
    _check_constant(lipschitz)
    points = samples.cpu().double()
    if points.ndim != 2 or points.shape[1] > 2:
        raise ValueError(
            f"every centre is covered in 1 or 2 dimensions, got {points.shape[-1]}; give G(0) instead"
        )
    low, high = points.amin(0), points.amax(0)
    half = (high - low) / cells / 2
    axes = [low[i] + half[i] * (2 * torch.arange(cells) + 1) for i in range(points.shape[1])]
    middles = torch.stack(torch.meshgrid(*axes, indexing="ij"), -1).reshape(-1, points.shape[1])
    lam, slack = _trade_offs(lambdas), float(half.norm())
    least = np.full(lam.shape, np.inf)
    for middle in middles:
        distances = (torch.linalg.vector_norm(points - middle, dim=-1) - slack).clamp(min=0.0)
        least = np.minimum(least, _forward(distances, lipschitz, latent_dim, lam, 0.0))
    return least


def inverse_bound(
    samples: Tensor,
    inverse_lipschitz: float,
    latent_dim: int,
    lambdas: Any,
    centres: int = 256,
    delta: float | None = None,
) -> Array:
    """D_λ ≥ sup_{x,R} [λ P(ball(x, R)) - B_m(L₂R)] - (λ-1)₊: G cannot squeeze more mass into a ball than this.

    Any x gives a bound; the first ``centres`` samples are tried, each against the others (so that a
    centre does not count itself), one sort a centre. Arguments as in ``forward_bound``, with L₂ the
    constant of G⁻¹.

    Returns:
        Lower bounds on D_λ(P‖Q), shape (L,), at least 0.
    """
    _check_constant(inverse_lipschitz)
    points = samples.cpu().double()
    if len(points) < 2:
        raise ValueError(f"the inverse bound needs at least 2 samples, got {len(points)}")
    lam = _trade_offs(lambdas)
    tried = min(centres, len(points))
    deviation = _deviation(delta, len(points) - 1, tried)
    best = np.zeros(lam.shape)
    for i in range(tried):
        distances = torch.linalg.vector_norm(points - points[i], dim=-1)
        radii = torch.cat([distances[:i], distances[i + 1 :]]).sort().values
        cost = latent_ball_mass(inverse_lipschitz * radii, latent_dim).numpy()
        values = _envelope(-np.concatenate([[0.0], cost]), -lam, len(cost))  # λ·i/n - B_m(L₂ d_i), i ≤ n
        best = np.maximum(best, values - lam * deviation - np.maximum(lam - 1.0, 0.0))
    return best


def ceiling_curve(lambdas: Any, *bounds: Array) -> PRCurve:
    """α_λ ≤ min(1, λ) - max of the bounds: the highest curve they leave open, β_λ = α_λ/λ."""
    lam = _trade_offs(lambdas)
    return curve_from_pr_divergence(lam, np.maximum.reduce([np.zeros(lam.shape), *bounds]))


def residual_flow_constants(lipschitz: float, blocks: int) -> tuple[float, float]:
    """(Lip G, Lip G⁻¹) ≤ ((1-L)⁻ᴷ, (1+L)ᴷ) for G⁻¹ made of K blocks x + f(x), f of constant L < 1."""
    if not 0 <= lipschitz < 1:
        raise ValueError(f"a residual block needs a constant in [0, 1), got {lipschitz:g}")
    return (1.0 - lipschitz) ** -blocks, (1.0 + lipschitz) ** blocks


def _forward(distances: Tensor, lipschitz: float, latent_dim: int, lam: Array, deviation: float) -> Array:
    """sup over R just below each sorted distance d_{i+1}, where P(ball) = i/N; shape (L,)."""
    inside = latent_ball_mass(distances.sort().values / lipschitz, latent_dim).numpy()
    values = _envelope(inside, lam, len(inside)) - lam * deviation - np.maximum(1.0 - lam, 0.0)
    return np.maximum(values, 0.0)


def _envelope(heights: Array, slopes: Array, n: int) -> Array:
    """max_i (h_i - s·i/n) over i = 0, 1, … for all slopes s at once, from the least concave majorant of h.

    Antitonic regression of the increments gives the slopes of that majorant (pool adjacent violators,
    O(n)); the maximum sits where they fall below s.
    """
    from scipy.optimize import isotonic_regression  # slow to import, and needed by ceilings alone

    increments = (
        isotonic_regression(np.diff(heights), increasing=False).x if len(heights) > 1 else np.empty(0)
    )
    majorant = np.concatenate([[heights[0]], heights[0] + np.cumsum(increments)])
    at = np.searchsorted(-increments, -slopes / n)  # the increments fall: count those above the slope
    return np.asarray(majorant[at] - slopes * at / n)


def _deviation(delta: float | None, n: int, tests: int) -> float:
    """By how much the mass of a ball may exceed its share of n samples, for ``tests`` centres at once."""
    if delta is None:
        return 0.0
    if not 0 < delta <= 0.5:
        raise ValueError(f"the risk δ must be in (0, 0.5], got {delta:g}; use 0.05 for 95 % confidence")
    return math.sqrt(math.log(tests / delta) / (2 * n))


def _trade_offs(lambdas: Any) -> Array:
    lam = np.asarray(lambdas, dtype=np.float64)
    if lam.ndim != 1 or not ((lam > 0) & np.isfinite(lam)).all():
        raise ValueError("trade-offs λ of a ceiling must be numbers in (0, ∞); use equiangular_grid(n)")
    return lam


def _check_constant(lipschitz: float) -> None:
    if not lipschitz > 0:
        raise ValueError(f"a Lipschitz constant must be > 0, got {lipschitz:g}")
