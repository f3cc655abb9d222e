"""Divergence frontiers of two sets of samples in the square of precision and recall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from explorer.figures.hover import safe
from explorer.figures.theme import CATEGORIES, LIGHT, NEUTRAL, template
from explorer.figures.thinning import evenly

__all__ = ["frontier_figure"]

Point = tuple[float, float, float]


def frontier_figure(curves: Mapping[str, Mapping[str, Sequence[float]]], order: float) -> go.Figure:
    """Frontiers by name, each with ``tilt``, ``precision`` and ``recall`` of its points, as e to minus a divergence.

    The dotted diagonal is the inclusive frontier of laws that share nothing: what mixtures of the two reach.
    """
    figure = go.Figure()
    figure.add_scatter(
        x=[0, 1],
        y=[1, 0],
        mode="lines",
        name="inclusive, no overlap",
        line={"color": NEUTRAL, "width": 1.4, "dash": "dot"},
        hoverinfo="skip",
    )
    for i, (name, raw) in enumerate(curves.items()):
        points = _closed(evenly(list(zip(raw["recall"], raw["precision"], raw["tilt"], strict=True))))
        figure.add_scatter(
            x=[recall for recall, _, _ in points],
            y=[precision for _, precision, _ in points],
            customdata=[tilt for _, _, tilt in points],
            mode="lines",
            name=safe(name),
            line={"color": CATEGORIES[i % len(CATEGORIES)], "width": 2.2},
            hovertemplate="tilt %{customdata:.3g}<br>recall %{x:.3f}<br>precision %{y:.3f}<extra></extra>",
        )
    figure.update_layout(
        template=template(LIGHT),
        title={
            "text": f"Divergence frontiers, order α = {order:g}",
            "subtitle": {"text": "e to minus the divergences of a third law R: up and right is better"},
        },
        xaxis={"title": {"text": "Recall, e<sup>-D</sup>"}, "range": [-0.02, 1.05], "dtick": 0.25},
        yaxis={"title": {"text": "Precision, e<sup>-D</sup>"}, "range": [-0.02, 1.05], "dtick": 0.25},
        legend={"font": {"size": 11}},
        height=460,
    )
    return figure


def _closed(points: Sequence[Point]) -> list[Point]:
    """From the axis below the point of most recall to the one left of that of most precision: what the area is below.

    Along the tilt recall falls on an exclusive frontier and rises on an inclusive one.
    """
    falling = sorted(points, key=lambda point: (-point[0], point[1]))
    (recall, _, first), (_, precision, last) = falling[0], falling[-1]
    return [(recall, 0.0, first), *falling, (0.0, precision, last)]
