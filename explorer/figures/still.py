"""A chart of the app as a figure of plotly, for pages that are saved: its layers, panels beside each other."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from explorer.figures.chart import Area, Axis, Band, Chart, Layer, Line, Panel, Paths, Points, Text
from explorer.figures.theme import ACCENT, CATEGORIES, CONTRAST, NEUTRAL

__all__ = ["still_figure"]

GREY = "#8a93a3"
"""Legible on light and on dark."""
_ROLES = {"accent": ACCENT, "contrast": CONTRAST, "muted": GREY, "text": GREY, "grid": NEUTRAL}
_DASHES = {"solid": "solid", "dash": "dash", "dot": "dot"}
_ANCHORS = {"start": "middle right", "middle": "middle center", "end": "middle left"}


def still_figure(chart: Chart, across: int = 3) -> go.Figure:
    """What the chart shows before anybody points at it, ``across`` panels in a row. O(points).

    Colours that are numbers, sizes and pictures of cards are the app's: points have one colour and one size here.
    """
    panels = chart.panels or [Panel("", ())]
    rows = math.ceil(len(panels) / across)
    columns = min(across, len(panels))
    figure = make_subplots(
        rows=rows,
        cols=columns,
        subplot_titles=[panel.title for panel in panels] if chart.panels else None,
        horizontal_spacing=0.24 / columns,
        vertical_spacing=0.3 / rows,
    )
    named: set[str] = set()
    for place, panel in enumerate(panels):
        row, column = place // across + 1, place % across + 1
        for layer in (*chart.layers, *panel.layers):
            for trace in _traces(layer):
                if trace.showlegend and trace.name in named:
                    trace.showlegend = False
                named.add(trace.name)
                figure.add_trace(trace, row=row, col=column)
        figure.update_xaxes(**_axis(panel.x or chart.x), row=row, col=column)
        figure.update_yaxes(**_axis(panel.y or chart.y), row=row, col=column)
    figure.update_layout(
        title=_title(chart),
        height=max(chart.height, 330 * rows + 100),
        margin={"t": 96, "b": 60},
        legend={"orientation": "h", "y": -0.18 / rows, "yanchor": "top", "x": 0},
    )
    return figure


def _title(chart: Chart) -> dict[str, object]:
    under = f"<br><sup>{chart.subtitle}</sup>" if chart.subtitle else ""
    return {"text": f"{chart.title}{under}"}


def _axis(axis: Axis) -> dict[str, object]:
    ends = [axis.low, axis.high]
    found: dict[str, object] = {
        "title": {"text": axis.title},
        "type": "log" if axis.log else "linear",
        "range": [math.log10(end) for end in ends] if axis.log else ends,
    }
    if len(axis.ticks):
        found |= {"tickvals": list(axis.ticks)}
        if len(axis.labels):
            found["ticktext"] = list(axis.labels)
    return found


def _traces(layer: Layer) -> list[go.Scatter]:
    match layer:
        case Points():
            return [_points(layer)]
        case Line():
            mode = "lines+markers" if layer.markers else "lines"
            look = {"color": _colour(layer.colour), "width": layer.width, "dash": _DASHES[layer.dash]}
            return [_scatter(layer.x, layer.y, layer.name, mode=mode, line=look, opacity=layer.opacity)]
        case Band():
            return [_filled(*_outline(layer), layer.colour, layer.opacity, layer.name)]
        case Area():
            return [_filled(layer.x, layer.y, layer.colour, layer.opacity, layer.name)]
        case Text():
            look = {"color": _colour(layer.colour)}
            position = _ANCHORS[layer.anchor]
            return [
                _scatter(
                    layer.x,
                    layer.y,
                    "",
                    mode="text",
                    text=list(layer.text),
                    textfont=look,
                    textposition=position,
                )
            ]
        case Paths():
            return []


def _outline(band: Band) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A polygon around every part of a band that has both ends, NaN between them."""
    there = np.isfinite(band.low) & np.isfinite(band.high)
    parts = np.split(np.arange(len(there)), np.flatnonzero(np.diff(there)) + 1)
    x: list[float] = []
    y: list[float] = []
    for part in parts:
        if there[part].any():
            gap = [math.nan] if x else []
            x += [*gap, *band.x[part], *band.x[part][::-1]]
            y += [*gap, *band.low[part], *band.high[part][::-1]]
    return np.array(x), np.array(y)


def _points(layer: Points) -> go.Scatter:
    colour = layer.colour if isinstance(layer.colour, str) else "accent"
    radius = layer.radius if isinstance(layer.radius, float | int) else 5.0
    errors = {
        f"error_{axis}": _error(getattr(layer, axis), getattr(layer, f"{axis}_low"), high)
        for axis in ("x", "y")
        if (high := getattr(layer, f"{axis}_high")) is not None
    }
    return _scatter(
        layer.x,
        layer.y,
        layer.name,
        mode="markers",
        marker={"color": _colour(colour), "size": 2 * radius},
        opacity=layer.opacity,
        **errors,
    )


def _error(
    middle: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]
) -> dict[str, object]:
    return {
        "type": "data",
        "symmetric": False,
        "array": np.nan_to_num(high - middle),
        "arrayminus": np.nan_to_num(middle - low),
        "thickness": 1.2,
        "width": 0,
    }


def _filled(
    x: Sequence[float] | NDArray[np.float64], y: NDArray[np.float64], colour: str, opacity: float, name: str
) -> go.Scatter:
    return _scatter(
        x, y, name, mode="lines", fill="toself", line={"width": 0}, fillcolor=_colour(colour), opacity=opacity
    )


def _scatter(x: object, y: object, name: str, **looks: object) -> go.Scatter:
    return go.Scatter(
        x=x, y=y, name=name, legendgroup=name or None, showlegend=bool(name), hoverinfo="x+y", **looks
    )


def _colour(told: str) -> str:
    if told.startswith("category:"):
        return CATEGORIES[int(told.removeprefix("category:")) % len(CATEGORIES)]
    return _ROLES.get(told, told)
