"""Panes that stand side by side: areas, sets of attainable precision and recall, and balls around samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from explorer.figures.theme import CATEGORIES, LIGHT, template
from explorer.reproduce.drawing import Array

__all__ = [
    "COMMON",
    "MODEL",
    "PRECISION",
    "REAL",
    "RECALL",
    "area",
    "balls",
    "curve",
    "dots",
    "equal_axes",
    "faded",
    "pr_axes",
    "pr_set",
    "side_by_side",
]

REAL, MODEL, COMMON = "#7d8797", CATEGORIES[0], CATEGORIES[2]
"""The data, the model, and what they have in common."""

PRECISION, RECALL = CATEGORIES[5], CATEGORIES[4]
"""The thesis shades shares of precision in red and shares of recall in blue."""


def side_by_side(
    titles: Sequence[str], height: int = 360, widths: Sequence[float] | None = None
) -> go.Figure:
    """One row of empty panes, the legend below them."""
    figure = make_subplots(
        1,
        len(titles),
        subplot_titles=titles,
        column_widths=None if widths is None else list(widths),
        horizontal_spacing=0.32 / (1 + len(titles)),
    )
    figure.update_annotations(font={"size": 14})
    figure.update_layout(
        template=template(LIGHT),
        height=height,
        margin={"t": 44, "b": 96},
        legend={"orientation": "h", "x": 0.5, "xanchor": "center", "y": -0.24, "yanchor": "top"},
    )
    return figure


def faded(colour: str, opacity: float) -> str:
    """A colour #rrggbb that lets through what is below it."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity:g})"


def area(x: Array, y: Array, name: str, colour: str, opacity: float = 0.35, **line: Any) -> go.Scatter:
    """The area below a function; ``line`` changes its edge."""
    return go.Scatter(
        x=np.round(x, 4),
        y=np.round(y, 6),
        name=name,
        mode="lines",
        line={"color": colour, "width": 1.4, "simplify": False} | line,
        fill="tozeroy",
        fillcolor=faded(colour, opacity),
        hoverinfo="skip",
    )


def curve(x: Array, y: Array, name: str, colour: str, dash: str = "solid", **given: Any) -> go.Scatter:
    """A line."""
    return go.Scatter(
        x=np.round(x, 5),
        y=np.round(y, 6),
        name=name,
        mode="lines",
        line={"color": colour, "width": 2.2, "dash": dash, "simplify": False},
        **given,
    )


def dots(points: Array, name: str, colour: str, size: float = 6, **given: Any) -> go.Scatter:
    """Samples of the plane, (n, 2)."""
    return go.Scatter(
        x=np.round(points[:, 0], 4),
        y=np.round(points[:, 1], 4),
        name=name,
        mode="markers",
        marker={"color": colour, "size": size, "line": {"width": 0.6}} | given.pop("marker", {}),
        hoverinfo="skip",
        **given,
    )


def pr_set(alpha: Array, beta: Array, name: str = "PR(P, P̂)") -> go.Scatter:
    """The attainable pairs below a PR curve, whose points are given by rising λ, closed to both axes."""
    return go.Scatter(
        x=np.round(np.concatenate([[0.0, 0.0], alpha, [alpha[-1], 0.0]]), 5),
        y=np.round(np.concatenate([[0.0, beta[0]], beta, [0.0, 0.0]]), 5),
        name=name,
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=faded(MODEL, 0.16),
        hoverinfo="skip",
    )


def balls(
    figure: go.Figure, centres: Array, radii: Array, colour: str, col: int = 1, opacity: float = 0.16
) -> None:
    """The union of discs around centres (n, 2), every edge drawn, below the points of that column."""
    figure.add_shape(
        type="path",
        path=" ".join(_circle(x, y, r) for (x, y), r in zip(centres, radii, strict=True)),
        fillrule="nonzero",
        fillcolor=faded(colour, opacity),
        line={"color": faded(colour, min(1.0, 3 * opacity)), "width": 0.8},
        layer="below",
        row=1,
        col=col,
    )


def _circle(x: float, y: float, r: float) -> str:
    """A circle as a path of four Bézier curves; plotly's paths have no arcs. Off by 3e-4 of the radius at most."""
    k = 4 / 3 * (math.sqrt(2) - 1) * r
    corners = [(x + r, y), (x, y + r), (x - r, y), (x, y - r), (x + r, y)]
    handles = [(0, k), (-k, 0), (0, -k), (k, 0), (0, k)]
    path = f"M{corners[0][0]:.4f},{corners[0][1]:.4f}"
    for i in range(4):
        (x0, y0), (x1, y1), (u0, v0), (u1, v1) = corners[i], corners[i + 1], handles[i], handles[i + 1]
        path += f" C{x0 + u0:.4f},{y0 + v0:.4f} {x1 - u1:.4f},{y1 - v1:.4f} {x1:.4f},{y1:.4f}"
    return path + " Z"


def pr_axes(figure: go.Figure, col: int) -> None:
    """Precision across, recall up, on equal scales."""
    axis = {"range": [-0.02, 1.05], "dtick": 0.25, "constrain": "domain"}
    figure.update_xaxes(title_text="precision α", row=1, col=col, **axis)
    figure.update_yaxes(title_text="recall β", row=1, col=col, **axis)
    equal_axes(figure, col)


def equal_axes(figure: go.Figure, col: int) -> None:
    """One unit is as long up as across in that column."""
    across = next(figure.select_xaxes(row=1, col=col)).plotly_name.replace("axis", "")
    figure.update_yaxes(scaleanchor=across, constrain="domain", row=1, col=col)
    figure.update_xaxes(constrain="domain", row=1, col=col)
