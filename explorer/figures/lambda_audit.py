"""Does λ do what theory promises? Precision and recall against λ over seeds, a panel per setting of all the rest."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from explorer.figures.columns import log_axis
from explorer.figures.hover import safe
from explorer.figures.theme import ACCENT, CONTRAST, LIGHT, template
from explorer.results.audit import LambdaAudit, LambdaGroup, lambda_of
from explorer.results.promise import levels_of
from explorer.results.sentences import audit_title, chance, correlations
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At

__all__ = ["lambda_figure", "spread_by_lambda"]

SERIES = (("precision", ACCENT, "59, 125, 216"), ("recall", CONTRAST, "224, 122, 47"))
PANELS = 12
"""Settings that one figure shows; more would be too small to read."""


def spread_by_lambda(
    trials: Iterable[Trial], metric: str, at: At = PLAIN
) -> list[tuple[float, float, float, int]]:
    """(λ, mean, standard deviation, count) of a metric over the trials of each level of λ > 0, by growing λ.

    Few values of λ are levels themselves, many are gathered in neighbourhoods: one curve, not a point a trial.
    """
    read = [(lambda_of(trial), trial.at(at).get(metric)) for trial in trials]
    sound = [
        (lam, value) for lam, value in read if lam and lam > 0 and value is not None and math.isfinite(value)
    ]
    levels, which = levels_of([lam for lam, _ in sound])
    values: Mapping[float, list[float]] = defaultdict(list)
    for level, (_, value) in zip(which, sound, strict=True):
        values[levels[level]].append(value)
    with np.errstate(
        over="ignore", invalid="ignore"
    ):  # of the greatest floats there is no mean, and none is drawn
        return [
            (lam, float(np.mean(v)), float(np.std(v, ddof=1)) if len(v) > 1 else 0.0, len(v))
            for lam, v in sorted(values.items())
        ]


def lambda_figure(table: TrialTable, audit: LambdaAudit) -> go.Figure:
    """Mean over seeds of precision and recall against λ (log axis), with a band of one standard deviation.

    A panel per group of the audit that has enough values of λ, at the audit's reading; scales are shared.
    """
    groups = audit.defined[:PANELS]
    rows, columns = _grid(len(groups))
    figure = make_subplots(
        rows,
        columns,
        shared_xaxes="all",
        shared_yaxes="all",
        horizontal_spacing=0.04,
        vertical_spacing=0.22 / rows,
        subplot_titles=[_heading(group) for group in groups] if len(groups) > 1 else None,
    )
    trials = {trial.id: trial for trial in table}
    for place, group in enumerate(groups):
        members = [trials[identity] for identity in group.ids if identity in trials]
        _add_group(figure, table, audit.at, members, place, columns)
    hidden = len(audit.defined) - len(groups)
    notes = ["mean and one standard deviation over seeds", audit.where]
    notes += [f"{len(groups)} of {len(audit.defined)} settings"] if hidden else []
    figure.update_layout(
        template=template(LIGHT),
        title={"text": safe(audit_title(audit), 80), "subtitle": {"text": safe(" · ".join(notes), 120)}},
        legend={
            "orientation": "h",
            "x": 1,
            "xanchor": "right",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
        },
        margin={"t": 104 if len(groups) > 1 else 76},
        height=420 if rows == 1 else 130 + 250 * rows,
    )
    for place, heading in enumerate(figure.layout.annotations):
        axis = figure.get_subplot(place // columns + 1, place % columns + 1).xaxis
        heading.update(x=axis.domain[0], xanchor="left", font={"size": 13})
    positive = [math.log10(lam) for group in groups for lam in group.lambdas if lam > 0]
    figure.update_xaxes(log_axis(max(positive) - min(positive) if positive else 0.0))
    figure.update_yaxes(title={"text": ""})
    for column in range(1, columns + 1):
        last = max(row for row in range(1, rows + 1) if (row - 1) * columns + column <= max(len(groups), 1))
        figure.update_xaxes(title={"text": "λ"}, showticklabels=True, row=last, col=column)
    return figure


def _grid(panels: int) -> tuple[int, int]:
    """Rows and columns: side by side up to three, four as a square, then three abreast."""
    columns = {0: 1, 1: 1, 2: 2, 4: 2}.get(panels, 3)
    return max(1, math.ceil(panels / columns)), columns


def _heading(group: LambdaGroup) -> str:
    return f"{safe(group.name, 48)}   ρ {correlations(group)}, {chance(group)}"


def _add_group(
    figure: go.Figure, table: TrialTable, at: At, trials: Sequence[Trial], place: int, columns: int
) -> None:
    where = {"row": place // columns + 1, "col": place % columns + 1}
    for metric, colour, rgb in SERIES:
        rows = spread_by_lambda(trials, metric, at)
        if not rows:
            continue
        _add_band(figure, rows, rgb, where)
        figure.add_scatter(
            x=[r[0] for r in rows],
            y=[r[1] for r in rows],
            customdata=[[r[2], r[3]] for r in rows],
            mode="lines+markers",
            name=safe(table.title(metric)),
            legendgroup=metric,
            showlegend=place == 0,
            line={"color": colour, "width": 2.2},
            marker={"size": 8, "line": {"width": 1.5}},
            hovertemplate=f"{metric} <b>%{{y:.3f}}</b> ± %{{customdata[0]:.3f}}<br>λ = %{{x:.3g}}, "
            "%{customdata[1]} trials<extra></extra>",
            **where,
        )


def _add_band(
    figure: go.Figure, rows: Sequence[tuple[float, float, float, int]], rgb: str, where: Mapping[str, int]
) -> None:
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
        **where,
    )
