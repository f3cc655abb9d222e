"""Figures 5.1 and 5.2 of the thesis: what a critic's raw output earns on real and on generated points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from explorer.figures.theme import CATEGORIES
from explorer.reproduce.drawing import lines
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Panel, Reproduction
from explorer.reproduce.side_by_side import side_by_side

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.divergences import Divergence

__all__ = ["ARROWS", "FIGURES", "LONGEST", "activations", "pr_activations"]

ARROWS = (-4.0, -2.0, 0.0, 2.0, 4.0)
"""Raw outputs w at which the gradient is drawn."""

LONGEST = 1.6
"""Arrows end here, in units of w; the gradients of KL go on."""

PR_SCALE = 3.0
"""The gradients of the PR-divergence are small; their arrows are drawn so many times as long."""

RANGE = {"KL": (-9.0, 5.5), "χ²": (-9.0, 9.0), "GAN": (-5.5, 1.0)}


def activations() -> Sequence[Panel]:
    """Figure 5.1: a(w) and -f*(a(w)) of KL, χ² and GAN, with the gradient in red."""
    from trainables.divergences import DIVERGENCES

    divs = {"KL": DIVERGENCES["kl"], "χ²": DIVERGENCES["chi2"], "GAN": DIVERGENCES["gan"]}
    caption = (
        "Left what a real point earns, a(w), right what a generated one earns, -f*(a(w)). Arrows are the gradient in "
        f"w, as long as it is large (cut at {LONGEST:g}). KL pulls generated points down exponentially, and the "
        "critic jumps; χ² grows like a polynomial and GAN like a line, on one side each. χ² is that of table 2.2, "
        "a(w) = -2 + 2 log(1+eʷ); table 5.1 prints the pair of ½χ², half of each curve."
    )
    return [Panel(side_by_side(_rows(divs, RANGE), height=235), caption)]


def pr_activations() -> Sequence[Panel]:
    """Figure 5.2: the same of the PR-divergence, whose gradients vanish on both sides."""
    from trainables.divergences import pr

    real, fake = go.Figure(), go.Figure()
    for i, lam in enumerate((0.5, 1.0, 2.0)):
        div = pr(lam)
        for figure, value in (
            (real, div.activation),
            (fake, _earned_by_fakes(div)),
        ):
            part = _curve(f"λ = {lam:g}", value, (-2.2, 2.2), (0, 2, 3)[i], scale=PR_SCALE)
            figure.add_traces(part.data)
            figure.update_layout(xaxis=part.layout.xaxis)
    real.update_yaxes(range=[-0.15, 2.2])
    fake.update_yaxes(range=[-2.15, 0.2])
    caption = (
        f"The same for D_λ, the arrows {PR_SCALE:g} times as long: a(w) = λ/(1+e⁻ʷ), and -f_λ*(a(w)) falls by 1 "
        "whatever λ is. At |w| = 4 the gradient is 7% of its greatest value on both sides, and it goes on falling by "
        "half with every 0.7: a critic that is sure of itself learns nothing more, which is why D_λ is trained "
        "through another divergence. On the right "
        "the curves of all λ ≤ 1 are one. λ = 0.5, 1 and 2 are our choice."
    )
    parts = {"a(w), real points": real, "-f*(a(w)), generated points": fake}
    return [Panel(side_by_side(parts, height=340), caption)]


def _rows(divs: Mapping[str, Divergence], ranges: Mapping[str, tuple[float, float]]) -> dict[str, go.Figure]:
    parts = {}
    for title, div in divs.items():
        parts[f"{title}: a(w), real points"] = _curve("a(w)", div.activation, ranges[title])
        parts[f"{title}: -f*(a(w)), generated points"] = _curve(
            "-f*(a(w))", _earned_by_fakes(div), ranges[title], 2
        )
    return parts


def _earned_by_fakes(div: Divergence) -> Callable[[Tensor], Tensor]:
    """w ↦ -f*(a(w))."""
    return lambda w: -div.conjugate_of_activation(w)


def _curve(
    name: str,
    value: Callable[[Tensor], Tensor],
    y_range: tuple[float, float],
    colour: int = 0,
    scale: float = 1.0,
) -> go.Figure:
    """A function of w, and its gradient as arrows of ``scale`` times its size where the function is in range."""
    import torch

    w = torch.linspace(-5, 5, 201, dtype=torch.float64)
    figure = lines(w.numpy(), {name: value(w).numpy()}, "w", "", y_range)
    figure.update_traces(line={"color": CATEGORIES[colour]})
    figure.update_xaxes(range=[-5.2, 5.8])
    at = torch.tensor(ARROWS, dtype=torch.float64, requires_grad=True)
    heights = value(at)
    (slope,) = torch.autograd.grad(heights.sum(), at)
    for i, (x, y, s) in enumerate(zip(ARROWS, heights.tolist(), slope.tolist(), strict=True)):
        if not y_range[0] <= y <= y_range[1]:
            continue
        figure.add_scatter(
            x=[x, round(x + float(np.clip(scale * s, -LONGEST, LONGEST)), 6)],
            y=[round(y, 6)] * 2,
            mode="lines+markers",
            name="gradient in w",
            showlegend=i == 0,
            legendrank=2000,
            line={"color": CATEGORIES[5], "width": 2},
            marker={
                "symbol": ["circle", "arrow"],
                "size": [4, 9],
                "angleref": "previous",
                "line": {"width": 0},
            },
            hoverinfo="skip",
        )
    return figure


FIGURES = (
    Reproduction(
        "thesis-5.1", THESIS, "Figure 5.1, page 79", "What pulls a critic: KL, χ² and GAN", activations
    ),
    Reproduction(
        "thesis-5.2",
        THESIS,
        "Figure 5.2, page 80",
        "Why the PR-divergence does not train a critic",
        pr_activations,
    ),
)
