"""Figures 4.1, 4.2, 4.6, 4.7 and 4.8 of the thesis: one Gaussian fitted to a mixture of two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from explorer.reproduce.drawing import Array, Surface, densities, pr_curves, surfaces
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Panel, Reproduction

if TYPE_CHECKING:
    from trainables.divergences import Divergence
    from trainables.studies import Fit

__all__ = [
    "FIGURES",
    "divergence_fits",
    "divergence_landscapes",
    "exact_curve",
    "model_density",
    "pr_fit_curves",
    "pr_fits",
    "pr_landscapes",
    "target_density",
]

TARGET_NOTE = (
    "P = 0.6 N(-3.5, 1) + 0.4 N(3.5, 1). The thesis does not print its mixture; "
    "this one shows what its text says."
)
X = np.linspace(-11, 11, 441)


def divergence_landscapes() -> Sequence[Panel]:
    """Figure 4.1: D_f between the mixture and N(μ, σ²) over μ and σ."""
    caption = (
        "D_f(P ‖ N(μ, σ²)) over the model's two parameters, dark where low, ★ at the minimum. "
        "KL, χ² and Hellinger have theirs between the modes at a large σ; reverse KL, JS and TV on the "
        "heavier mode at a small one. Colours end at the lowest 60% of values. "
    )
    return [Panel(_landscapes(_named()), caption + TARGET_NOTE)]


def divergence_fits() -> Sequence[Panel]:
    """Figure 4.2: the densities at those minima."""
    fits = _fits(_named())
    caption = f"The Gaussians that minimise each divergence: {_numbers(fits)}. {TARGET_NOTE}"
    return [Panel(_drawn(fits), caption)]


def pr_landscapes() -> Sequence[Panel]:
    """Figure 4.6: D_λ over μ and σ for three λ."""
    caption = (
        "D_λ(P ‖ N(μ, σ²)). At λ = 0.1 it vanishes on a whole region of wide Gaussians, at λ = 10 on one "
        "region at each mode; there the ★ is the minimiser of smallest total variation. "
        "Colours end at the lowest 60% of values. "
    )
    return [Panel(_landscapes(_trade_offs()), caption + TARGET_NOTE)]


def pr_fits() -> Sequence[Panel]:
    """Figure 4.7: the densities at those minima."""
    fits = _fits(_trade_offs())
    caption = (
        f"λ = 0.1 covers, λ = 10 seeks, and λ = 1, which is total variation, seeks here: {_numbers(fits)}. "
        "At λ = 0.1 and 10 many Gaussians tie, and the one of smallest total variation is shown. "
    )
    return [Panel(_drawn(fits), caption + TARGET_NOTE)]


def pr_fit_curves() -> Sequence[Panel]:
    """Figure 4.8: their PR curves."""
    curves = {name: exact_curve(fit) for name, fit in _fits(_trade_offs()).items()}
    caption = (
        "The exact PR curves of the three Gaussians. Each is the outermost along the ray β = α/λ it was "
        "trained for: recall 1 at λ = 0.1, precision 1 at λ = 10. "
    )
    return [Panel(pr_curves(curves), caption + TARGET_NOTE)]


def target_density(x: Array) -> Array:
    """p(x) of the mixture of two."""
    import torch

    from trainables.studies import TARGET, density

    return np.asarray(density(TARGET, torch.as_tensor(x)).exp())


def model_density(x: Array, fit: Fit, budget: float = 1.0) -> Array:
    """The density of a fitted Gaussian refined at budget K, the rejection constant solved on the whole line."""
    import torch

    from trainables.rejection import acceptance, budget_constant
    from trainables.studies import TARGET, Line, density, normal_log_density

    mu, sigma = torch.tensor([[fit.mu], [fit.sigma]], dtype=torch.float64)
    line = Line.around(0.0, 5.0, 40.0, 3001)
    on_line = normal_log_density(line.x, mu, sigma)[0]
    log_ratio, masses = density(TARGET, line.x) - on_line, line.masses(on_line)
    log_c = budget_constant(log_ratio, budget, masses)
    rate = float((masses * acceptance(log_ratio, log_c)).sum())
    nodes = torch.as_tensor(x)
    here = normal_log_density(nodes, mu, sigma)[0]
    return np.asarray(here.exp() * acceptance(density(TARGET, nodes) - here, log_c) / rate)


def exact_curve(fit: Fit, budget: float = 1.0) -> tuple[Array, Array]:
    """(α_λ, β_λ) of P and the fitted Gaussian refined at budget K, on the equiangular grid."""
    import torch

    from trainables.precision_recall import curve_density, equiangular_grid
    from trainables.studies import TARGET, Line, density, normal_log_density, refined

    mu, sigma = torch.tensor([[fit.mu], [fit.sigma]], dtype=torch.float64)
    line = Line.around(0.0, 5.0, 40.0, 3001)
    p = line.masses(density(TARGET, line.x))
    q = refined(p, line.masses(normal_log_density(line.x, mu, sigma))[0], budget)
    curve = curve_density(p, q, 1.0, equiangular_grid(201))
    return curve.precision, curve.recall


def _named() -> Mapping[str, Divergence]:
    from trainables.divergences import DIVERGENCES

    titles = {
        "KL": "kl",
        "χ²": "chi2",
        "Hellinger²": "hellinger",
        "reverse KL": "reverse_kl",
        "JS": "js",
        "TV": "tv",
    }
    return {title: DIVERGENCES[name] for title, name in titles.items()}


def _trade_offs() -> Mapping[str, Divergence]:
    from trainables.divergences import pr

    return {f"λ = {lam:g}": pr(lam) for lam in (0.1, 1.0, 10.0)}


def _fits(divs: Mapping[str, Divergence]) -> Mapping[str, Fit]:
    from trainables.studies import fit_gaussian

    return {title: fit_gaussian(div) for title, div in divs.items()}


def _drawn(fits: Mapping[str, Fit]) -> go.Figure:
    return densities(X, target_density(X), {title: model_density(X, fit) for title, fit in fits.items()})


def _landscapes(divs: Mapping[str, Divergence]) -> go.Figure:
    from trainables.studies import landscape

    fits = _fits(divs)
    parts = []
    for title, div in divs.items():
        land = landscape(div)
        best = (fits[title].mu, fits[title].sigma)
        parts.append(Surface(title, land.mu.numpy(), land.sigma.numpy(), land.values.numpy(), best))
    return surfaces(parts)


def _numbers(fits: Mapping[str, Fit]) -> str:
    return ", ".join(f"{title} N({fit.mu:.2f}, {fit.sigma:.2f}²)" for title, fit in fits.items())


FIGURES = (
    Reproduction(
        "thesis-4.1",
        THESIS,
        "Figure 4.1, page 57",
        "One Gaussian, six divergences: the landscapes",
        divergence_landscapes,
    ),
    Reproduction(
        "thesis-4.2", THESIS, "Figure 4.2, page 57", "Mode seeking against mass covering", divergence_fits
    ),
    Reproduction(
        "thesis-4.6",
        THESIS,
        "Figure 4.6, page 61",
        "One Gaussian, three trade-offs: the landscapes",
        pr_landscapes,
    ),
    Reproduction("thesis-4.7", THESIS, "Figure 4.7, page 62", "What λ makes of the same model", pr_fits),
    Reproduction(
        "thesis-4.8", THESIS, "Figure 4.8, page 62", "The PR curves of the three models", pr_fit_curves
    ),
)
