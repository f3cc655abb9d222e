"""Several small pictures in one: a grid of them under one legend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from explorer.figures.theme import LIGHT, template

__all__ = ["side_by_side"]


def side_by_side(
    parts: Mapping[str, go.Figure], columns: int = 2, height: int = 330, spacing: float = 0.09
) -> go.Figure:
    """The figures by title, row by row; axes keep their titles and ranges, a name stands in the legend once."""
    rows = -(-len(parts) // columns)
    figure = make_subplots(
        rows,
        columns,
        subplot_titles=list(parts),
        horizontal_spacing=spacing,
        vertical_spacing=0.42 * 200 / (height * rows) if rows > 1 else 0,
    )
    shown: set[str] = set()
    for i, part in enumerate(parts.values()):
        at = {"row": i // columns + 1, "col": i % columns + 1}
        for trace in part.data:
            told = trace.name is not None and trace.showlegend is not False
            figure.add_trace(trace, **at)
            figure.data[-1].update(showlegend=told and trace.name not in shown, legendgroup=trace.name)
            shown |= {trace.name} if told else set()
        figure.update_xaxes(_kept(part.layout.xaxis), **at)
        figure.update_yaxes(_kept(part.layout.yaxis), **at)
        if part.layout.yaxis.scaleanchor:
            figure.update_yaxes(scaleanchor=figure.data[-1].xaxis or "x", **at)
    figure.update_annotations(font={"size": 14})
    figure.update_layout(
        template=template(LIGHT),
        height=70 + height * rows,
        margin={"t": 40, "b": 70},
        legend={
            "orientation": "h",
            "x": 0.5,
            "xanchor": "center",
            "y": -70 / (height * rows),
            "yanchor": "top",
        },
    )
    return figure


def _kept(axis: Any) -> dict[str, Any]:
    """What a figure says of an axis, but for its place."""
    said = axis.to_plotly_json()
    return {key: value for key, value in said.items() if key not in ("anchor", "domain", "scaleanchor")}
