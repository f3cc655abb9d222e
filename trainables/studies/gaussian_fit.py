"""Fit one Gaussian to a mixture of two by minimising a divergence exactly, with and without OBRS.

A model too poor for its target must choose: cover both modes and the gap between them (recall), or sit on
one mode (precision). Which one wins is a property of the divergence. Thesis §4.1, §4.2 (figures 4.1 to 4.8)
and §6.3.1 (figure 6.15). The text does not print the parameters of its mixture. `TARGET` is one that shows
everything the text says of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from trainables.divergences import DIVERGENCES, Divergence
from trainables.sources.mixture import GaussianMixture
from trainables.studies.line import Line, density, normal_log_density, refined

__all__ = ["TARGET", "Fit", "Landscape", "fit_gaussian", "landscape"]

TARGET = GaussianMixture(
    means=torch.tensor([[-3.5], [3.5]], dtype=torch.float64),
    weights=torch.tensor([0.6, 0.4], dtype=torch.float64),
    sigma=1.0,
)
"""0.6 N(-3.5, 1) + 0.4 N(3.5, 1): near the gap at which TV changes from covering to seeking."""

TIE = 1e-6
"""Divergences below this are a tie: D_λ vanishes on whole regions of (μ, σ). Ties go to the smallest TV."""

_BATCH = 512
_ZOOM_POINTS = 7
_ZOOM_SHRINK = 0.4
_ZOOM_ROUNDS = 14
_STARTS = 6


@dataclass(frozen=True)
class Fit:
    """The Gaussian N(μ, σ²) whose law, refined at budget K, minimises the divergence from P, and that minimum.

    ``tied`` says that the divergence vanishes, so that other Gaussians reach the same minimum.
    """

    divergence: str
    budget: float
    mu: float
    sigma: float
    value: float
    tied: bool


@dataclass(frozen=True, eq=False)
class Landscape:
    """D(P ‖ N(μ, σ²) refined at K) on a grid: mu (m,), sigma (s,), values (m, s)."""

    mu: Tensor
    sigma: Tensor
    values: Tensor


def _losses(
    target: GaussianMixture, divs: tuple[Divergence, ...], budget: float, nodes: int, widest: float
) -> Callable[[Tensor, Tensor], Tensor]:
    """(μ (B,), σ (B,)) ↦ D_f of each divergence between P and the refined Gaussian, (B, number of divergences)."""
    low, high = target.span(0)
    centre, half = (low + high) / 2, (high - low) / 2
    # Six of the widest model's σ on either side, and dense nodes over the modes.
    line = Line.around(centre, half + target.sigma, half + 6 * max(widest, target.sigma), nodes)
    p = line.masses(density(target, line.x))

    def losses(mu: Tensor, sigma: Tensor) -> Tensor:
        rows = []
        for m, s in zip(mu.split(_BATCH), sigma.split(_BATCH), strict=True):
            q = refined(p, line.masses(normal_log_density(line.x, m, s)), budget)
            rows.append(torch.stack([d.integrand(p, q).sum(-1) - d.constant for d in divs], dim=-1))
        return torch.cat(rows)

    return losses


def landscape(
    div: Divergence,
    target: GaussianMixture = TARGET,
    budget: float = 1.0,
    *,
    mu: tuple[float, float, int] = (-6.0, 6.0, 61),
    sigma: tuple[float, float, int] = (0.5, 6.0, 56),
    nodes: int = 601,
) -> Landscape:
    """D_f(P ‖ P̃) over the parameters of the model; ranges are (low, high, points)."""
    axis_mu = torch.linspace(*mu, dtype=torch.float64)
    axis_sigma = torch.linspace(*sigma, dtype=torch.float64)
    m, s = torch.meshgrid(axis_mu, axis_sigma, indexing="ij")
    losses = _losses(target, (div,), budget, nodes, sigma[1])(m.reshape(-1), s.reshape(-1))
    return Landscape(axis_mu, axis_sigma, losses[:, 0].reshape(m.shape) + div.constant)


def fit_gaussian(
    div: Divergence,
    target: GaussianMixture = TARGET,
    budget: float = 1.0,
    *,
    mu: tuple[float, float] = (-6.0, 6.0),
    sigma: tuple[float, float] = (0.5, 6.0),
    nodes: int = 3001,
) -> Fit:
    """The global minimiser of D_f(P ‖ P̃) over μ and σ in the box, deterministic, to about 1e-4 in both.

    A coarse landscape finds the basins; each is then zoomed into, a grid of 7 × 7 points that shrinks
    around its best. No derivative is taken, so kinks, the rejection constant and flat regions need no
    special care.
    """
    tv = DIVERGENCES["tv"]

    def score_with(count: int) -> Callable[[Tensor, Tensor], Tensor]:
        losses = _losses(target, (div, tv), budget, count, sigma[1])

        def score(m: Tensor, s: Tensor) -> Tensor:
            value, distance = losses(m, s).unbind(-1)
            return torch.where(value <= TIE, distance - 2, value)  # TV < 1, so a tie is below any value

        return score

    coarse = score_with(401)
    axis_mu = torch.linspace(*mu, 49, dtype=torch.float64)
    axis_sigma = torch.linspace(*sigma, 45, dtype=torch.float64)
    m, s = torch.meshgrid(axis_mu, axis_sigma, indexing="ij")
    start = _basins(coarse(m.reshape(-1), s.reshape(-1)).reshape(m.shape))
    step = torch.stack([axis_mu[1] - axis_mu[0], axis_sigma[1] - axis_sigma[0]])
    points = torch.stack([axis_mu[start[:, 0]], axis_sigma[start[:, 1]]], dim=-1)
    box = torch.tensor([mu, sigma], dtype=torch.float64)
    best = _zoom(score_with(nodes), points, step, box)
    excess = float(_losses(target, (div,), budget, nodes, sigma[1])(best[:1], best[1:]))
    return Fit(div.name, budget, float(best[0]), float(best[1]), excess + div.constant, excess <= TIE)


def _basins(score: Tensor) -> Tensor:
    """Indices (k, 2) of the lowest grid points that no neighbour beats, at most `_STARTS`."""
    lowest_near = -torch.nn.functional.max_pool2d(-score[None], 3, stride=1, padding=1)[0]
    where = torch.nonzero(score <= lowest_near)
    order = score[where[:, 0], where[:, 1]].argsort(stable=True)
    return where[order[:_STARTS]]


def _zoom(score: Callable[[Tensor, Tensor], Tensor], centres: Tensor, step: Tensor, box: Tensor) -> Tensor:
    """The best point found by shrinking a grid around each centre (k, 2); result (2,)."""
    side = torch.linspace(-1, 1, _ZOOM_POINTS, dtype=torch.float64)
    offsets = torch.cartesian_prod(side, side)
    half = step.clone()
    for _ in range(_ZOOM_ROUNDS):
        candidates = centres[:, None, :] + half * offsets
        candidates = torch.minimum(torch.maximum(candidates, box[:, 0]), box[:, 1])
        values = score(candidates[..., 0].reshape(-1), candidates[..., 1].reshape(-1))
        values = values.reshape(len(centres), -1)
        centres = candidates[torch.arange(len(centres)), values.argmin(-1)]
        # Basins that trail by far more than a finer grid can gain are dropped.
        reached = values.amin(-1)
        centres = centres[reached <= reached.amin() + 0.1]
        half = half * _ZOOM_SHRINK
    final = score(centres[:, 0], centres[:, 1])
    return centres[final.argmin()]
