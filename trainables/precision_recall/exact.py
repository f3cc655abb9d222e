"""Exact curves of known laws: discrete laws, binned counts, densities on a grid or by quadrature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from trainables.laws import probabilities
from trainables.precision_recall.curve import PRCurve
from trainables.precision_recall.ratio_law import RatioLaw

__all__ = [
    "as_law",
    "curve_density",
    "curve_discrete",
    "curve_histogram",
    "curve_quadrature",
    "quadrature_masses",
]

MASS_TOLERANCE = 1e-3


def as_law(values: Any, name: str = "p") -> Tensor:
    """``probabilities`` as a tensor, shape (N,)."""
    return torch.as_tensor(probabilities(values, name))


def curve_discrete(p: Any, q: Any, lambdas: Any) -> PRCurve:
    """α_λ = Σ_i min(λp_i, q_i) and β_λ = α_λ/λ for probability vectors p (real) and q (model), shape (N,)."""
    law_p, law_q = as_law(p, "p"), as_law(q, "q")
    _check_same_length(law_p, law_q)
    return RatioLaw.from_masses(law_p, law_q).curve(lambdas)


def curve_histogram(real_counts: Any, model_counts: Any, lambdas: Any) -> PRCurve:
    """The curve of two histograms over the same bins; counts of any shape, normalised here.

    Merging bins never lowers a curve (data processing), so a coarse histogram flatters the model; few
    samples per bin make it look worse than it is. Sajjadi et al. 2018, §3.2; Simon et al. 2019, §5.
    """
    laws = []
    for name, counts in (("real", real_counts), ("model", model_counts)):
        flat = np.asarray(counts, dtype=np.float64).reshape(-1)
        if not (flat >= 0).all() or not flat.sum() > 0:
            raise ValueError(f"{name} counts must be ≥ 0 and not all 0, got a sum of {flat.sum():g}")
        laws.append(flat / flat.sum())
    return curve_discrete(laws[0], laws[1], lambdas)


def curve_density(p: Any, q: Any, cell: Any, lambdas: Any) -> PRCurve:
    """α_λ ≈ Σ_i min(λp(x_i), q(x_i)) v_i for densities on a grid of any shape, with cell volumes v.

    Args:
        p, q: density values at the same points, equal shapes.
        cell: the volume of each cell, a number for a regular grid or an array of the shape of p.
        lambdas: trade-offs in [0, ∞].

    The masses are used as they are. A grid that misses more than 1e-3 of either law is refused.
    """
    density_p, density_q = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    volume = np.broadcast_to(np.asarray(cell, dtype=np.float64), density_p.shape)
    mass_p = torch.as_tensor((density_p * volume).reshape(-1))
    mass_q = torch.as_tensor((density_q * volume).reshape(-1))
    return _curve_of_masses(mass_p, mass_q, lambdas)


def curve_quadrature(
    log_p: Callable[[Tensor], Tensor],
    log_q: Callable[[Tensor], Tensor],
    interval: tuple[float, float],
    lambdas: Any,
    panels: int = 2000,
) -> PRCurve:
    """The curve of two densities on the line, by Gauss-Legendre quadrature on ``panels`` equal panels.

    Args:
        log_p, log_q: log-densities, (n,) → (n,), -inf allowed.
        interval: where to integrate; it must hold all but 1e-3 of both laws.
        lambdas: trade-offs in [0, ∞].
        panels: the integrand bends where p = q/λ, so the error falls as panels⁻² there, far faster elsewhere.
    """
    mass_p, mass_q = quadrature_masses(log_p, log_q, interval, panels)
    return _curve_of_masses(mass_p, mass_q, lambdas)


def quadrature_masses(
    log_p: Callable[[Tensor], Tensor],
    log_q: Callable[[Tensor], Tensor],
    interval: tuple[float, float],
    panels: int = 2000,
) -> tuple[Tensor, Tensor]:
    """Masses p(x_i) w_i and q(x_i) w_i at eight Gauss-Legendre nodes on each panel, shapes (8·panels,)."""
    low, high = interval
    if not low < high:
        raise ValueError(f"the interval must have low < high, got ({low:g}, {high:g})")
    nodes, weights = np.polynomial.legendre.leggauss(8)
    half = (high - low) / panels / 2
    centres = low + half * (2 * np.arange(panels) + 1)
    x = torch.as_tensor((centres[:, None] + half * nodes).reshape(-1))
    log_w = torch.as_tensor(np.tile(np.log(half * weights), panels))
    return (log_p(x) + log_w).exp(), (log_q(x) + log_w).exp()


def _curve_of_masses(p: Tensor, q: Tensor, lambdas: Any) -> PRCurve:
    _check_same_length(p, q)
    for name, mass in (("p", p), ("q", q)):
        if not bool((mass >= 0).all()) or not abs(float(mass.sum()) - 1.0) <= MASS_TOLERANCE:
            raise ValueError(
                f"density {name} must be ≥ 0 with mass 1 on the grid, got {float(mass.sum()):.6g}; "
                "widen or refine the grid"
            )
    return RatioLaw.from_masses(p, q).curve(lambdas)


def _check_same_length(p: Tensor, q: Tensor) -> None:
    if p.shape != q.shape:
        raise ValueError(f"p and q must have the same number of entries, got {p.numel()} and {q.numel()}")
