"""Figures 6.13 and 6.15 of the thesis: what training through OBRS does to the loss and to the model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from explorer.reproduce.drawing import Surface, densities, lines, pr_curves, surfaces
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Panel, Reproduction
from explorer.reproduce.thesis_fits import TARGET_NOTE, X, exact_curve, model_density, target_density

__all__ = ["FIGURES", "flattening", "training_through_rejection"]

BUDGETS = (1.0, 1.5, 2.0, 5.0, 10.0)


def flattening() -> Sequence[Panel]:
    """Figure 6.13: the GAN loss of a comb of ten Gaussians against the distance θ of its teeth."""
    import torch

    from trainables.divergences import DIVERGENCES
    from trainables.studies import COMB, density, separated, separation_loss

    x = np.linspace(-16, 16, 1601)
    nodes = torch.as_tensor(x)
    combs = {f"θ = {t:g}": density(separated(t), nodes).exp().numpy() for t in (1.2, 3.0)}
    shapes = densities(x, density(COMB, nodes).exp().numpy(), combs)
    theta = torch.linspace(0.8, 3.2, 193, dtype=torch.float64)
    gan = DIVERGENCES["gan"]
    losses = {f"K = {k:g}": separation_loss(gan, theta, k).numpy() for k in BUDGETS}
    return [
        Panel(
            shapes,
            "(a) The target, ten Gaussians of σ = 0.4 spaced 2 apart, and two proposals. The thesis prints ten "
            "modes, equal variances and θ = 1.2 and 3; spacing and σ are ours.",
        ),
        Panel(
            lines(theta.numpy(), losses, "distance θ between modes", "GAN loss after refinement"),
            "(b) D_GAN(P ‖ P̃) against θ. Without rejection (K = 1) there are local minima on both sides of the "
            "truth θ = 2; they shrink with K, and at K = 10 none is left in this range. Past θ = 3.4, where "
            "whole teeth of the proposal fall outside the target, shallow ones survive.",
        ),
    ]


def training_through_rejection() -> Sequence[Panel]:
    """Figure 6.15: one Gaussian fitted by the GAN divergence, without and through OBRS at K = 2."""
    from trainables.divergences import DIVERGENCES
    from trainables.studies import fit_gaussian, landscape

    gan = DIVERGENCES["gan"]
    alone, through = fit_gaussian(gan), fit_gaussian(gan, budget=2.0)
    parts = []
    for fit in (alone, through):
        land = landscape(gan, budget=fit.budget)
        values = land.values.numpy()
        best = (fit.mu, fit.sigma)
        parts.append(Surface(f"K = {fit.budget:g}", land.mu.numpy(), land.sigma.numpy(), values, best))
    models = {
        "trained at K = 1": (alone, 1.0),
        "trained at K = 1, then refined": (alone, 2.0),
        "trained through K = 2, before refinement": (through, 1.0),
        "trained through K = 2, refined": (through, 2.0),
    }
    raw = [title for title, (_, budget) in models.items() if budget == 1]
    curves = {title: exact_curve(fit, budget) for title, (fit, budget) in models.items()}
    laws = {title: model_density(X, fit, budget) for title, (fit, budget) in models.items()}
    return [
        Panel(
            surfaces(parts, columns=2),
            f"(a) D_GAN(P ‖ P̃) over μ and σ. Alone it is lowest on one mode, N({alone.mu:.2f}, "
            f"{alone.sigma:.2f}²); with OBRS at K = 2 between the modes, N({through.mu:.2f}, "
            f"{through.sigma:.2f}²). {TARGET_NOTE}",
        ),
        Panel(
            pr_curves(curves, dashed=raw),
            "(b) Rejection stretches a curve in precision, never in recall: it does little for the model that "
            "sits on one mode, and takes the covering one close to the corner.",
        ),
        Panel(
            densities(X, target_density(X), laws, dashed=raw),
            f"(c) The laws. The loss falls from {alone.value:.3f} to {through.value:.3f}; "
            "its floor is -log 4 = -1.386.",
        ),
    ]


FIGURES = (
    Reproduction(
        "thesis-6.13", THESIS, "Figure 6.13, page 115", "Rejection flattens the landscape", flattening
    ),
    Reproduction(
        "thesis-6.15",
        THESIS,
        "Figure 6.15, page 117",
        "Training through rejection covers more",
        training_through_rejection,
    ),
)
