"""Figure 3.13 of the thesis: divergence frontiers of a diverse model, the laws between P and P̂, and the curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from explorer.figures.theme import CATEGORIES
from explorer.reproduce.drawing import Array
from explorer.reproduce.panes import MODEL, REAL, area, curve, pr_axes, side_by_side
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Panel, Reproduction
from explorer.reproduce.thesis_parts import LAWS, X, density_of

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from trainables.precision_recall.frontiers import Kind

__all__ = ["FIGURES", "ORDERS", "frontiers"]

ORDERS = {"α = 1/2": 0.5, "α = 1": 1.0, "α = 3": 3.0, "α → ∞": float("inf")}
TRADE_OFFS = (0.25, 1.0, 4.0)
COLOURS = (CATEGORIES[1], CATEGORIES[2], CATEGORIES[3], CATEGORIES[5])


def frontiers() -> Sequence[Panel]:
    """P, P̂ and the intersections with their curves; the intersections as λ varies; the unions with theirs."""
    from trainables.studies.gaussian_fit import TARGET
    from trainables.studies.line_models import DIVERSE

    first = side_by_side(("P and P̂", "intersections, λ = 1", "PR curves of the intersections"), 420)
    first.add_trace(area(X, density_of(TARGET), "P", REAL, 0.3), row=1, col=1)
    first.add_trace(curve(X, density_of(DIVERSE), "P̂", MODEL), row=1, col=1)
    _laws_and_curves(first, "exclusive", 2)
    moved = side_by_side(("intersections, α → ∞", "intersections, α = 1"), 380)
    for col, order in ((1, float("inf")), (2, 1.0)):
        for lam, colour in zip(TRADE_OFFS, COLOURS, strict=False):
            name = f"λ = {lam:g}"
            y = _between(order, "exclusive", lam)
            moved.add_trace(curve(X, y, name, colour, showlegend=col == 1, legendgroup=name), row=1, col=col)
        _line_axes(moved, col)
    unions = side_by_side(("unions, λ = 1", "PR curves of the unions"), 420)
    _laws_and_curves(unions, "inclusive", 1)
    _line_axes(first, 1)
    return [
        Panel(
            first,
            f"P = {LAWS['P']} and P̂ = {LAWS['diverse']}; the thesis does not print its laws. The intersection at "
            "order α is R ∝ (π p̂^(1-α) + (1-π) p^(1-α))^(1/(1-α)), its curve (e^-D_α(R‖P̂), e^-D_α(R‖P)). At α → ∞ "
            "R is min(λp, p̂), with an edge where the two cross, and the curve is the PR curve without its straight "
            "ends; at finite orders R is smooth. (3.19) as printed is the union; π = λ^(α-1)/(1 + λ^(α-1)) for α ≥ "
            "2, and λ/(1 + λ) below.",
        ),
        Panel(
            moved,
            "The intersections move from P towards P̂ as λ grows: near P they are good for recall, near P̂ for "
            "precision.",
        ),
        Panel(
            unions,
            "Its mirror image, which the thesis mentions among the drawbacks: the union R ∝ (π p̂^α + (1-π) "
            "p^α)^(1/α) holds both laws, and its curve is (e^-D_α(P‖R), e^-D_α(P̂‖R)). Where R must be wide to hold "
            "P̂, P is a small part of it: that is lost precision.",
        ),
    ]


def _laws_and_curves(figure: go.Figure, kind: Kind, col: int) -> None:
    from trainables.precision_recall import equiangular_grid, frontier_discrete
    from trainables.studies.line_models import DIVERSE, line_masses

    _, p, q = line_masses(DIVERSE, nodes=801)
    for (name, order), colour in zip(ORDERS.items(), COLOURS, strict=True):
        law = curve(X, _between(order, kind, 1.0), name, colour, legendgroup=name)
        figure.add_trace(law, row=1, col=col)
        found = frontier_discrete(p, q, order, kind, equiangular_grid(151))
        to_model, to_real = found.scores()
        # What is lost on the way to the model is precision for intersections, recall for unions.
        across, up = (to_model, to_real) if kind == "exclusive" else (to_real, to_model)
        drawn = curve(across, up, f"{name}, curve", colour, showlegend=False, legendgroup=name)
        figure.add_trace(drawn, row=1, col=col + 1)
    _line_axes(figure, col)
    pr_axes(figure, col + 1)


def _between(order: float, kind: Kind, lam: float) -> Array:
    """The density of R on X."""
    import torch

    from trainables.precision_recall import log_between
    from trainables.studies.gaussian_fit import TARGET
    from trainables.studies.line import density
    from trainables.studies.line_models import DIVERSE

    wide = torch.linspace(-40, 40, 3201, dtype=torch.float64)
    exponent = 1.0 - order if kind == "exclusive" else order
    tilt = torch.tensor([lam], dtype=torch.float64)
    masses = log_between(density(TARGET, wide), density(DIVERSE, wide), exponent, tilt)[0].exp()
    return np.interp(X, wide.numpy(), masses.numpy() / float(wide[1] - wide[0]))


def _line_axes(figure: go.Figure, col: int) -> None:
    figure.update_xaxes(title_text="x", range=[-13, 13], row=1, col=col)
    figure.update_yaxes(rangemode="tozero", row=1, col=col)
    if col == 1:
        figure.update_yaxes(title_text="density", row=1, col=col)


FIGURES = (
    Reproduction(
        "thesis-3.13", THESIS, "Figure 3.13, page 48", "Divergence frontiers of a diverse model", frontiers
    ),
)
