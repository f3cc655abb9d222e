"""Figures of a few runs over each other: PR curves with those of all seeds, and metrics over training."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from explorer.figures.hover import safe
from explorer.figures.theme import CATEGORIES, LIGHT, template
from explorer.figures.thinning import evenly
from explorer.store.schema import TRADE_OFFS

__all__ = ["Curves", "alpha_curve", "compared_curves", "compared_histories"]

Rows = Sequence[tuple[float, float, float]]


@dataclass(frozen=True)
class Curves:
    """The PR curve of a run, and those of the other seeds of its configuration: (recall, precision, λ) each."""

    own: Rows
    others: Sequence[Rows] = ()


def alpha_curve(alphas: Sequence[float]) -> list[tuple[float, float, float]]:
    """(recall, precision, λ) from α_λ at every λ of ``TRADE_OFFS``; empty where it is not known."""
    if len(alphas) != len(TRADE_OFFS):
        return []
    return [(min(1.0, alpha / lam), alpha, lam) for alpha, lam in zip(alphas, TRADE_OFFS, strict=True)]


def compared_curves(curves: Mapping[str, Curves]) -> go.Figure | None:
    """PR curves by name, each in a colour of its own with its other seeds faint; None where nobody has one."""
    figure = go.Figure()
    for i, (name, one) in enumerate(curves.items()):
        colour = CATEGORIES[i % len(CATEGORIES)]
        for rows in one.others:
            figure.add_scatter(
                x=[row[0] for row in rows],
                y=[row[1] for row in rows],
                mode="lines",
                line={"color": colour, "width": 1},
                opacity=0.35,
                hoverinfo="skip",
                showlegend=False,
                legendgroup=str(i),
            )
        kept = evenly(one.own)
        if kept:
            figure.add_scatter(
                x=[row[0] for row in kept],
                y=[row[1] for row in kept],
                customdata=[row[2] for row in kept],
                mode="lines",
                name=safe(name),
                showlegend=True,
                legendgroup=str(i),
                line={"color": colour, "width": 2.4},
                hovertemplate="<b>%{fullData.name}</b><br>λ = %{customdata:.3g}<br>recall %{x:.3f}<br>"
                "precision %{y:.3f}<extra></extra>",
            )
    if not figure.data:
        return None
    seeds = any(one.others for one in curves.values())
    figure.update_layout(
        template=template(LIGHT),
        title={
            "text": "Precision against recall, at every λ",
            "subtitle": {"text": "Thin: the other seeds of each configuration" if seeds else ""},
        },
        xaxis={"title": {"text": "Recall β"}, "range": [-0.02, 1.05], "dtick": 0.25},
        yaxis={"title": {"text": "Precision α"}, "range": [-0.02, 1.05], "dtick": 0.25},
        legend={"font": {"size": 11}},
        height=460,
    )
    return figure


def compared_histories(
    histories: Mapping[str, Mapping[str, Sequence[tuple[int, float]]]],
    metrics: Sequence[str],
    titles: Callable[[str], str] = str,
) -> go.Figure | None:
    """Metrics over iterations, a panel per metric and a colour per run; None where none was evaluated twice."""
    lines = {
        (name, metric): kept
        for name, history in histories.items()
        for metric in metrics
        if len(kept := _finite(history.get(metric, ()))) > 1
    }
    shown = [metric for metric in metrics if any((name, metric) in lines for name in histories)]
    if not shown:
        return None
    figure = make_subplots(1, len(shown), subplot_titles=[safe(titles(metric)) for metric in shown])
    named: set[str] = set()
    for panel, metric in enumerate(shown, start=1):
        for i, name in enumerate(histories):
            rows = lines.get((name, metric))
            if rows is None:
                continue
            figure.add_scatter(
                x=[step for step, _ in rows],
                y=[value for _, value in rows],
                mode="lines+markers",
                name=safe(name),
                legendgroup=str(i),
                showlegend=name not in named,
                line={"color": CATEGORIES[i % len(CATEGORIES)], "width": 2},
                marker={"size": 4, "line": {"width": 0}},
                hovertemplate="<b>%{fullData.name}</b><br>iteration %{x:,}<br>%{y:.4g}<extra></extra>",
                row=1,
                col=panel,
            )
            named.add(name)
    figure.update_xaxes(title={"text": "Iteration"}, nticks=5)
    figure.update_yaxes(rangemode="tozero")
    figure.update_layout(
        template=template(LIGHT),
        legend={"font": {"size": 11}},
        margin={"t": 44},
        height=340,
    )
    return figure


def _finite(rows: Sequence[tuple[int, float]]) -> Sequence[tuple[int, float]]:
    return evenly([(step, value) for step, value in rows if math.isfinite(value) and abs(value) < 1e100])
