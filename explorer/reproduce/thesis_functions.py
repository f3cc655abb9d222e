"""Figures 4.3, 4.4 and 4.5 of the thesis: generators of divergences, and the curve read as divergences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from explorer.figures.theme import CATEGORIES
from explorer.reproduce.drawing import lines, pr_curves
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Panel, Reproduction
from explorer.reproduce.thesis_fits import TARGET_NOTE, exact_curve

__all__ = ["FIGURES", "curve_as_divergences", "generators", "pr_generators"]


def generators() -> Sequence[Panel]:
    """Figure 4.3: f(u) of the divergences, on the scale f(1) = f′(1) = 0 that makes them comparable."""
    import torch

    from trainables.divergences import DIVERGENCES

    u = torch.linspace(0.01, 4, 400, dtype=torch.float64)
    one = torch.ones((), dtype=torch.float64)
    titles = {"KL": "kl", "reverse KL": "reverse_kl", "JS": "js", "TV": "tv", "χ²": "chi2"}
    curves = {}
    for title, name in titles.items():
        div = DIVERGENCES[name]
        curves[title] = (div.f(u) - div.f_prime(one) * (u - 1)).numpy()
    caption = (
        "f(u) - f′(1)(u-1): the tangent at u = 1 is taken off, which changes no divergence and shows what is "
        "punished. Ratios u = p/p̂ above 1 (the model misses mass) cost most under χ² and KL, those near 0 "
        "(the model invents mass) under reverse KL."
    )
    return [Panel(lines(u.numpy(), curves, "u = p/p̂", "f(u)", (-0.1, 3.0)), caption)]


def pr_generators() -> Sequence[Panel]:
    """Figure 4.4: f_λ(u) = max(λu, 1) - max(λ, 1) for several λ."""
    import torch

    from trainables.divergences import pr_f

    u = torch.linspace(0, 4, 401, dtype=torch.float64)
    curves = {f"λ = {lam:g}": pr_f(u, lam).numpy() for lam in (0.25, 0.5, 1.0, 2.0, 4.0)}
    caption = (
        "f_λ(u) = max(λu, 1) - max(λ, 1), thesis (4.1): two lines that meet at u = 1/λ, and 0 at u = 1 for "
        "every λ."
    )
    return [Panel(lines(u.numpy(), curves, "u = p/p̂", "f_λ(u)", (-3.2, 4.2)), caption)]


def curve_as_divergences() -> Sequence[Panel]:
    """Figure 4.5: D_λ is the distance from the curve to min(1, λ), read along the abscissa."""
    from trainables.divergences import DIVERGENCES
    from trainables.studies import fit_gaussian

    alpha, beta = exact_curve(fit_gaussian(DIVERGENCES["tv"]))
    log_lam = np.log(alpha / beta)
    figure = pr_curves({"PR curve of the TV fit": (alpha, beta)})
    for i, lam in enumerate((0.5, 1.0, 2.0)):
        at = float(np.interp(np.log(lam), log_lam, alpha))
        end, colour = min(1.0, lam), CATEGORIES[i + 1]
        figure.add_scatter(
            x=[0, end],
            y=[0, end / lam],
            mode="lines",
            showlegend=False,
            hoverinfo="skip",
            line={"color": colour, "width": 1, "dash": "dot"},
        )
        figure.add_scatter(
            x=[at, end],
            y=[at / lam, at / lam],
            mode="lines+markers",
            name=f"λ = {lam:g}: α = {at:.3f}, D = {end - at:.3f}",
            line={"color": colour, "width": 3},
            marker={"size": [9, 1]},
        )
    caption = (
        "Along the dotted ray β = α/λ the curve stops at α_λ = min(1, λ) - D_λ(P‖P̂): the thick segments are "
        "D_λ, so minimising D_λ maximises the abscissa at that λ (thesis 4.2.4, with (4.8) corrected). "
    )
    return [Panel(figure, caption + TARGET_NOTE)]


FIGURES = (
    Reproduction(
        "thesis-4.3", THESIS, "Figure 4.3, page 58", "How each divergence prices a ratio", generators
    ),
    Reproduction(
        "thesis-4.4", THESIS, "Figure 4.4, page 59", "The generator of the PR-divergence", pr_generators
    ),
    Reproduction(
        "thesis-4.5",
        THESIS,
        "Figure 4.5, page 61",
        "Every point of the curve is a divergence",
        curve_as_divergences,
    ),
)
