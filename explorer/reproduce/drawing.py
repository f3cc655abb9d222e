"""The few kinds of picture the reproductions share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from explorer.figures.theme import CATEGORIES, LIGHT, SCALE, template

__all__ = ["Array", "Surface", "densities", "lines", "pr_curves", "surfaces", "target_trace"]

Array = NDArray[np.float64]

COLOURS = [[i / (len(SCALE) - 1), colour] for i, colour in enumerate(SCALE)]


@dataclass(frozen=True, eq=False)
class Surface:
    """A loss over (μ, σ) with its minimum: mu (m,), sigma (s,), values (m, s), best (μ, σ)."""

    name: str
    mu: Array
    sigma: Array
    values: Array
    best: tuple[float, float]


def surfaces(parts: Sequence[Surface], columns: int = 3) -> go.Figure:
    """Landscapes side by side, dark where low, a star at each minimum; cut off above the lowest 60% of values."""
    rows = -(-len(parts) // columns)
    figure = make_subplots(
        rows,
        columns,
        subplot_titles=[part.name for part in parts],
        shared_xaxes=True,
        shared_yaxes=True,
        horizontal_spacing=0.04,
        vertical_spacing=0.12 if rows > 1 else 0,
    )
    for i, part in enumerate(parts):
        at = {"row": i // columns + 1, "col": i % columns + 1}
        low, high = float(part.values.min()), float(np.quantile(part.values, 0.6))
        figure.add_trace(
            go.Contour(
                x=np.round(part.mu, 4),
                y=np.round(part.sigma, 4),
                z=np.round(np.minimum(part.values.T, 1.001 * high - 0.001 * low), 6),
                zmin=low,
                zmax=max(high, low + 1e-9),
                contours={
                    "start": low,
                    "end": high,
                    "size": max(high - low, 1e-9) / 14,
                    "coloring": "heatmap",
                },
                line={"width": 0.6, "color": "rgba(255, 255, 255, 0.45)"},
                colorscale=COLOURS,
                showscale=False,
                hovertemplate="μ = %{x:.2f}<br>σ = %{y:.2f}<br>D = %{z:.4f}<extra></extra>",
            ),
            **at,
        )
        figure.add_trace(
            go.Scatter(
                x=[part.best[0]],
                y=[part.best[1]],
                mode="markers",
                marker={
                    "symbol": "star",
                    "size": 15,
                    "color": "#ffffff",
                    "line": {"width": 1.2, "color": "#1c2430"},
                },
                hovertemplate="minimum<br>μ = %{x:.3f}<br>σ = %{y:.3f}<extra></extra>",
                showlegend=False,
            ),
            **at,
        )
    figure.update_xaxes(title_text="μ", row=rows)
    figure.update_yaxes(title_text="σ", col=1)
    figure.update_xaxes(showgrid=False)
    figure.update_yaxes(showgrid=False)
    figure.update_layout(template=template(LIGHT), height=80 + 250 * rows, margin={"t": 48})
    return figure


def target_trace(x: Array, p: Array) -> go.Scatter:
    """The target law as a quiet filled shape."""
    return go.Scatter(
        x=np.round(x, 4),
        y=np.round(p, 6),
        name="target P",
        mode="lines",
        line={"color": "rgba(128, 138, 155, 0.9)", "width": 1.2},
        fill="tozeroy",
        fillcolor="rgba(128, 138, 155, 0.25)",
        hoverinfo="skip",
    )


def densities(x: Array, p: Array, models: Mapping[str, Array], dashed: Sequence[str] = ()) -> go.Figure:
    """The target and the densities fitted to it."""
    figure = go.Figure(target_trace(x, p))
    figure = _add_lines(figure, x, models, dashed)
    figure.update_layout(xaxis={"title": {"text": "x"}}, yaxis={"title": {"text": "density"}})
    return figure


def lines(
    x: Array,
    curves: Mapping[str, Array],
    x_title: str,
    y_title: str,
    y_range: tuple[float, float] | None = None,
) -> go.Figure:
    """Functions of one variable."""
    figure = _add_lines(go.Figure(), x, curves, ())
    figure.update_layout(
        xaxis={"title": {"text": x_title}}, yaxis={"title": {"text": y_title}, "range": y_range}
    )
    return figure


def pr_curves(curves: Mapping[str, tuple[Array, Array]], dashed: Sequence[str] = ()) -> go.Figure:
    """PR curves as the thesis draws them: precision α across, recall β up."""
    figure = go.Figure()
    for i, (name, (alpha, beta)) in enumerate(curves.items()):
        figure.add_scatter(
            x=np.round(alpha, 5),
            y=np.round(beta, 5),
            name=name,
            mode="lines",
            line=_line(i, name in dashed),
            hovertemplate="precision %{x:.3f}<br>recall %{y:.3f}<extra>%{fullData.name}</extra>",
        )
    figure.update_layout(
        template=template(LIGHT),
        xaxis={"title": {"text": "precision α"}, "range": [-0.02, 1.05], "dtick": 0.25},
        yaxis={"title": {"text": "recall β"}, "range": [-0.02, 1.05], "dtick": 0.25},
        height=420,
        margin={"t": 24},
    )
    return figure


def _add_lines(figure: go.Figure, x: Array, curves: Mapping[str, Array], dashed: Sequence[str]) -> go.Figure:
    for i, (name, y) in enumerate(curves.items()):
        figure.add_scatter(
            x=np.round(x, 4), y=np.round(y, 6), name=name, mode="lines", line=_line(i, name in dashed)
        )
    figure.update_layout(template=template(LIGHT), height=400, margin={"t": 24}, hovermode="x")
    return figure


def _line(index: int, dashed: bool) -> dict[str, Any]:
    return {
        "color": CATEGORIES[index % len(CATEGORIES)],
        "width": 2.2,
        "dash": "dash" if dashed else "solid",
    }
