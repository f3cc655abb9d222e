"""Figures 5.5 and B.1.1 of the thesis: two constructions on the graph of a convex function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from explorer.figures.theme import CATEGORIES
from explorer.reproduce.drawing import Array, lines
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Panel, Reproduction
from explorer.reproduce.side_by_side import side_by_side

if TYPE_CHECKING:
    from trainables.divergences import Divergence

__all__ = ["FIGURES", "POINTS", "TRADE_OFFS", "bregman_gaps", "conjugates"]

POINTS = (3.0, 1.0)
"""x, where the gap is seen, and y, where the tangent is taken."""

TRADE_OFFS = (0.5, 2.0)


def bregman_gaps() -> Sequence[Panel]:
    """Figure 5.5: Breg_g(x, y) as the gap between g and its tangent at y, for KL and χ²."""
    from trainables.divergences import DIVERGENCES

    gaps = {}
    parts = {}
    for title, name in (("g = f_KL", "kl"), ("g = f_χ²", "chi2")):
        parts[title], gaps[title] = _gap(DIVERGENCES[name])
    x, y = POINTS
    caption = (
        f"Breg_g(x, y) = g(x) - g(y) - g′(y)(x-y) at x = {x:g}, y = {y:g}, for ratios such a critic may have to tell "
        f"apart: {gaps['g = f_KL']:.2f} for KL, {gaps['g = f_χ²']:.2f} for χ². By theorem 5.2.3 its mean under P̂ is "
        "what the dual bound misses, the true ratio first. χ² charges (x-y)² wherever the points lie; KL grows only "
        "as x log x, and charges less the larger both are. The two points are ours."
    )
    return [Panel(side_by_side(parts), caption)]


def conjugates() -> Sequence[Panel]:
    """Figure B.1.1: f_λ*(t) is the largest distance of the line tu above f_λ, reached at the kink u = 1/λ."""
    from trainables.divergences import pr

    parts = {f"λ = {lam:g}": _support(pr(lam), lam) for lam in TRADE_OFFS}
    caption = (
        "f_λ*(t) = sup over u ≥ 0 of tu - f_λ(u). While 0 ≤ t ≤ λ the line tu climbs no faster than f_λ does beyond "
        "its kink, so the supremum is at u = 1/λ (dotted): t/λ + max(λ, 1) - 1, drawn as the thick segment at t = "
        "0.6 λ. The middle of (B.8) prints tλ for t/λ."
    )
    return [Panel(side_by_side(parts), caption)]


def _gap(div: Divergence) -> tuple[go.Figure, float]:
    import torch

    from trainables.divergences import bregman

    u = torch.linspace(0.02, 4, 200, dtype=torch.float64)
    x, y = (torch.tensor(point, dtype=torch.float64) for point in POINTS)
    below = float(div.f(y) + div.f_prime(y) * (x - y))
    gap = float(bregman(div, x, y))
    tangent = div.f(y) + div.f_prime(y) * (u - y)
    figure = lines(u.numpy(), {"g": div.f(u).numpy()}, "u", "g(u)", (-1.5, 6.5))
    _add(figure, u.numpy(), tangent.numpy(), "tangent at y", CATEGORIES[6], dash="dash")
    _add(figure, [float(x)] * 2, [below, below + gap], "Breg(x, y)", CATEGORIES[5], width=4)
    figure.add_scatter(
        x=[float(y), float(x)],
        y=[float(div.f(y)), below + gap],
        mode="markers+text",
        text=["y", f"x: gap {gap:.2f}"],
        textposition=["top center", "top left"],
        marker={"size": 9, "color": CATEGORIES[0]},
        showlegend=False,
        hoverinfo="skip",
    )
    return figure, gap


def _support(div: Divergence, lam: float) -> go.Figure:
    import torch

    t = 0.6 * lam
    u = torch.linspace(0, 2.6 / lam, 261, dtype=torch.float64)
    kink = 1 / lam
    low = float(div.f(torch.tensor(kink, dtype=torch.float64)))
    largest = float(div.conjugate(torch.tensor(t, dtype=torch.float64)))
    figure = lines(u.numpy(), {"f_λ(u)": div.f(u).numpy(), "tu": t * u.numpy()}, "u", "")
    _add(figure, u.numpy(), (t * u - div.f(u)).numpy(), "tu - f_λ(u)", CATEGORIES[2], dash="dash")
    _add(figure, [kink] * 2, [low, low + largest], "f_λ*(t)", CATEGORIES[5], width=4)
    _add(figure, [0, kink], [largest] * 2, None, CATEGORIES[2], dash="dot")
    figure.add_scatter(
        x=[kink],
        y=[round(low, 6)],
        mode="markers+text",
        text=["u = 1/λ"],
        textposition="bottom right",
        marker={"size": 8, "color": CATEGORIES[5]},
        showlegend=False,
        hoverinfo="skip",
    )
    return figure


def _add(
    figure: go.Figure,
    x: Array | Sequence[float],
    y: Array | Sequence[float],
    name: str | None,
    colour: str,
    **line: Any,
) -> None:
    figure.add_scatter(
        x=np.round(x, 4),
        y=np.round(y, 6),
        name=name,
        mode="lines",
        showlegend=name is not None,
        line={"color": colour, "width": 2, **line},
    )


FIGURES = (
    Reproduction(
        "thesis-5.5", THESIS, "Figure 5.5, page 83", "What a wrong ratio costs under KL and χ²", bregman_gaps
    ),
    Reproduction(
        "thesis-b.1.1", THESIS, "Figure B.1.1, page 133", "The conjugate of the PR-divergence", conjugates
    ),
)
