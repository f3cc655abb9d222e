"""Does λ do what theory promises? Precision and recall against λ, over seeds."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from explorer.figures.hover import safe
from explorer.figures.theme import ACCENT, CONTRAST, LIGHT, template
from explorer.results.catalogue import LAMBDA
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, At

__all__ = ["lambda_figure", "spread_by_lambda"]

SERIES = (("precision", ACCENT, "59, 125, 216"), ("recall", CONTRAST, "224, 122, 47"))


def spread_by_lambda(table: TrialTable, metric: str, at: At = PLAIN) -> list[tuple[float, float, float, int]]:
    """(λ, mean, standard deviation, count) of a metric over the finished trials of each λ, by growing λ."""
    values: Mapping[float, list[float]] = defaultdict(list)
    for trial in table.finished():
        lam, value = trial.params.get(LAMBDA), trial.at(at).get(metric)
        if isinstance(lam, int | float) and lam > 0 and value is not None and math.isfinite(value):
            values[float(lam)].append(value)
    return [
        (lam, float(np.mean(v)), float(np.std(v, ddof=1)) if len(v) > 1 else 0.0, len(v))
        for lam, v in sorted(values.items())
    ]


def lambda_figure(
    table: TrialTable, at: At = PLAIN, title: str = "Precision and recall against λ"
) -> go.Figure:
    """Mean over seeds of precision and recall against λ (log axis), with a band of one standard deviation."""
    figure = go.Figure()
    for metric, colour, rgb in SERIES:
        rows = spread_by_lambda(table, metric, at)
        if not rows:
            continue
        _add_band(figure, rows, rgb)
        figure.add_scatter(
            x=[r[0] for r in rows],
            y=[r[1] for r in rows],
            customdata=[[r[2], r[3]] for r in rows],
            mode="lines+markers",
            name=safe(table.title(metric)),
            line={"color": colour, "width": 2.2},
            marker={"size": 8, "line": {"width": 1.5}},
            hovertemplate=f"{metric} <b>%{{y:.3f}}</b> ± %{{customdata[0]:.3f}}<br>λ = %{{x:.3g}}, "
            "%{customdata[1]} trials<extra></extra>",
        )
    band = "mean and one standard deviation over seeds"
    figure.update_layout(
        template=template(LIGHT),
        title={
            "text": safe(title, 80),
            "subtitle": {"text": f"{band} · {table.words(at)}"},
        },
        xaxis={"title": {"text": "λ"}, "type": "log", "tickformat": "~g", "dtick": 1},
        yaxis={"title": {"text": ""}},
        legend={"orientation": "h", "x": 1, "xanchor": "right", "y": 1.0, "yanchor": "bottom"},
        height=420,
    )
    return figure


def _add_band(figure: go.Figure, rows: Sequence[tuple[float, float, float, int]], rgb: str) -> None:
    outline = [(lam, mean + sd) for lam, mean, sd, _ in rows] + [
        (lam, mean - sd) for lam, mean, sd, _ in reversed(rows)
    ]
    figure.add_scatter(
        x=[p[0] for p in outline],
        y=[p[1] for p in outline],
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=f"rgba({rgb}, 0.14)",
        hoverinfo="skip",
        showlegend=False,
    )
