"""The front: every trial at one reading, the dominated ones faded, the best ones joined by a staircase."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from explorer.figures.colour import Colouring, Group, colouring
from explorer.figures.columns import LEAST_LEVEL, MOST_LEVEL, Column, column, log_axis
from explorer.figures.hover import hover_text, safe
from explorer.figures.staircase import staircase
from explorer.figures.theme import ACCENT, CONTRAST, LIGHT, NEUTRAL, template
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At, budget_text

__all__ = ["FrontView", "default_view", "front_figure"]

WEBGL_FROM = 2_000
"""SVG is crisper; above this many points only WebGL stays fluid."""
WIDEST = 8e307
"""An axis ends here: the length of one between the greatest floats would be none."""
LONGEST_LIST = 80
"""Characters of objectives that a title names one by one."""


@dataclass(frozen=True)
class FrontView:
    """What of the table to draw, and how.

    Attributes:
        x, y: columns of the axes, metrics or numeric parameters.
        colour: column of the colour.
        at: the reading that is drawn.
        method: the refinement whose paths are drawn as K grows; the first there is, unless given.
        dominated: draw trials that are not on the front.
        paths: draw each trial's path as K grows.
        selected: identity of the trial to ring, if any.
    """

    x: str = "recall"
    y: str = "precision"
    colour: str = "fid"
    at: At = PLAIN
    dominated: bool = True
    paths: bool = False
    selected: str | None = None
    method: str | None = None


def default_view(table: TrialTable) -> FrontView:
    """Precision against recall where both were measured, else the sweep's own goals; a third one gives the colour."""
    names = table.shown_metrics()
    goals = [goal.metric for goal in table.goals if goal.metric in names]
    axes = (
        ["recall", "precision"]
        if {"recall", "precision"} <= set(names)
        else list(dict.fromkeys([*goals, *names]))[:2]
    )
    if len(axes) < 2:
        return FrontView()
    rest = [*(g for g in goals if g not in axes), *(n for n in names if n not in axes)]
    return FrontView(x=axes[0], y=axes[1], colour=rest[0] if rest else axes[0])


def front_figure(table: TrialTable, ranks: Mapping[str, int], view: FrontView | None = None) -> go.Figure:
    """Trials in the plane of two columns.

    ``ranks`` holds the non-domination rank by trial identity, 0 for the front; a trial without a rank counts
    as dominated. Points carry their trial's identity as ``customdata``. The staircase bounds what is reached
    in the two axes shown: a trial may be on the front for a third objective and still lie behind it.
    """
    view = view or FrontView()
    x, y = column(table, view.x, view.at), column(table, view.y, view.at)
    shown = [
        i
        for i, trial in enumerate(table)
        if isinstance(x.values[i], float)
        and isinstance(y.values[i], float)
        and (view.dominated or ranks.get(trial.id) == 0)
    ]
    front = {i for i in shown if ranks.get(table.trials[i].id) == 0}
    method = table.method(view.method)
    paths = {
        i: _path(table.trials[i], view, method)
        for i in shown
        if view.paths or table.trials[i].id == view.selected
    }
    ranges = (
        _range(x, shown, [p[0] for path in paths.values() for p in path]),
        _range(y, shown, [p[1] for path in paths.values() for p in path]),
    )
    colours = colouring(column(table, view.colour, view.at), shown)
    figure = go.Figure()
    _add_staircase(figure, x, y, shown, ranges)
    _add_paths(figure, [paths[i] for i in paths if table.trials[i].id != view.selected])
    for group in colours.groups:
        _add_legend(figure, group)
    varying, where = table.varying(), table.words(view.at)
    texts = {
        i: hover_text(table, trial, varying, view.at, ranks.get(trial.id), where)
        for i, trial in ((i, table.trials[i]) for i in shown)
    }
    for group in colours.groups:
        _add_points(
            figure, table, texts, (x, y), [i for i in group.rows if i not in front], group, faded=True
        )
    for group in colours.groups:
        _add_points(figure, table, texts, (x, y), [i for i in group.rows if i in front], group, faded=False)
    for i in shown:
        if table.trials[i].id == view.selected:
            _add_selected(figure, x, y, i, paths.get(i, []))
    figure.update_layout(_layout(table, view, x, y, ranges, colours, len(front), len(shown)))
    return figure


def _path(trial: Trial, view: FrontView, method: str) -> list[tuple[float, float, float]]:
    """(x, y, K) of a trial at growing K; empty unless both axes are metrics read at two budgets or more."""
    rows = [
        (trial.readings[at].get(view.x), trial.readings[at].get(view.y), at.budget)
        for at in trial.path(method)
    ]
    points = [
        (u, v, k)
        for u, v, k in rows
        if u is not None and v is not None and math.isfinite(u) and math.isfinite(v)
    ]
    return points if len(points) > 1 else []


def _range(axis: Column, shown: Sequence[int], extra: Sequence[float]) -> tuple[float, float]:
    """Limits with a little air, in the axis' own coordinates (log10 on a logarithmic axis); their span is finite."""
    numbers = axis.numbers()
    values = [numbers[i] for i in shown] + list(extra)
    values = [axis.level(v) for v in values if v > 0 or not axis.log]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    air = 0.07 * (high - low) or 0.05 * max(abs(high), 0.1)
    least, most = (LEAST_LEVEL, MOST_LEVEL) if axis.log else (-WIDEST, WIDEST)
    return max(low - air, least), min(high + air, most)


def _add_staircase(
    figure: go.Figure, x: Column, y: Column, shown: Sequence[int], ranges: tuple[tuple[float, float], ...]
) -> None:
    if x.direction is None or y.direction is None or not shown:
        return
    edge = []
    for axis, (low, high) in zip((x, y), ranges, strict=True):
        worst = low if axis.direction == "max" else high
        edge.append(axis.value_at(worst))
    xs, ys = x.numbers(), y.numbers()
    points = [(xs[i], ys[i]) for i in shown]
    line = staircase(points, x.direction, y.direction, (edge[0], edge[1]))
    area = [*line, (edge[0], edge[1])]
    quiet = {"mode": "lines", "hoverinfo": "skip", "showlegend": False}
    figure.add_scatter(
        x=[p[0] for p in area],
        y=[p[1] for p in area],
        fill="toself",
        fillcolor="rgba(59, 125, 216, 0.06)",
        line={"width": 0},
        name="reached",
        **quiet,
    )
    figure.add_scatter(
        x=[p[0] for p in line],
        y=[p[1] for p in line],
        line={"color": ACCENT, "width": 1.6},
        opacity=0.75,
        name="front line",
        **quiet,
    )


def _add_paths(figure: go.Figure, paths: Sequence[Sequence[tuple[float, float, float]]]) -> None:
    points = [p for path in paths if path for p in (*path, (None, None, None))]
    if points:
        figure.add_scatter(
            x=[p[0] for p in points],
            y=[p[1] for p in points],
            mode="lines",
            hoverinfo="skip",
            showlegend=False,
            line={"color": NEUTRAL, "width": 1},
            opacity=0.6,
            name="paths in K",
        )


def _add_points(
    figure: go.Figure,
    table: TrialTable,
    texts: Mapping[int, str],
    axes: tuple[Column, Column],
    rows: Sequence[int],
    group: Group,
    faded: bool,
) -> None:
    if not rows:
        return
    opacity = 0.4 if faded else 1.0
    still = {"marker": {"opacity": opacity}}
    trace = go.Scattergl if len(table) > WEBGL_FROM else go.Scatter
    figure.add_trace(
        trace(
            x=[axes[0].values[i] for i in rows],
            y=[axes[1].values[i] for i in rows],
            mode="markers",
            name=safe(group.name or ("dominated" if faded else "on the front")),
            customdata=[[table.trials[i].id] for i in rows],
            hovertext=[texts[i] for i in rows],
            hovertemplate="%{hovertext}<extra></extra>",
            showlegend=False,
            legendgroup=safe(group.name),
            marker={
                **group.marker(rows),
                "size": 8 if faded else 13,
                "opacity": opacity,
                "line": {"width": 0.5 if faded else 1.5},
            },
            selected=still,
            unselected=still,
        )
    )


def _add_legend(figure: go.Figure, group: Group) -> None:
    """An entry for a group of words, in full colour even if all its points are faded."""
    if group.name and group.rows:
        marker = {"color": group.colour, "size": 10, "line": {"width": 0}}
        figure.add_scatter(
            x=[None],
            y=[None],
            mode="markers",
            name=safe(group.name),
            legendgroup=safe(group.name),
            marker=marker,
        )


def _add_selected(
    figure: go.Figure, x: Column, y: Column, row: int, path: Sequence[tuple[float, float, float]]
) -> None:
    here = (x.values[row], y.values[row])
    if path:
        figure.add_scatter(
            x=[p[0] for p in path],
            y=[p[1] for p in path],
            mode="lines+markers+text",
            hoverinfo="skip",
            text=["" for _ in path[:-1]] + [f" K={budget_text(path[-1][2])}" if path[-1][:2] != here else ""],
            textposition="middle right",
            textfont={"size": 11},
            line={"color": CONTRAST, "width": 1.6},
            marker={"size": 5, "color": CONTRAST},
            showlegend=False,
            name="path in K",
        )
    figure.add_scatter(
        x=[x.values[row]],
        y=[y.values[row]],
        mode="markers",
        hoverinfo="skip",
        showlegend=False,
        name="selected",
        marker={
            "symbol": "circle-open",
            "size": 22,
            "color": CONTRAST,
            "line": {"width": 2.5, "color": CONTRAST},
        },
    )


def _layout(
    table: TrialTable,
    view: FrontView,
    x: Column,
    y: Column,
    ranges: tuple[tuple[float, float], ...],
    colours: Colouring,
    front: int,
    shown: int,
) -> dict[str, Any]:
    names = [table.title_in_text(goal.metric) for goal in table.goals]
    among = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
    if len(among) > LONGEST_LIST:  # a list that is cut off says less than how long it is
        among = f"{len(names)} objectives" if len(names) > 1 else names[0]
    head = f"{front} of {shown} trials" if view.dominated else f"{front} trial{'s' * (front != 1)}"
    notes = [f"budget {safe(table.words(view.at))}"]
    if x.direction and y.direction:
        notes.append(
            f"line: best {safe(table.title_in_text(y.name))} for each {safe(table.title_in_text(x.name))}"
        )
    if view.dominated:
        notes.append("faded: dominated")
    axes = {}
    for key, axis, limits in zip(("xaxis", "yaxis"), (x, y), ranges, strict=True):
        arrow = {"max": " →", "min": " ←"}.get(axis.direction or "", "")
        scale = log_axis(limits[1] - limits[0]) if axis.log else {}
        if scale.get("dtick") == 1:
            scale["minor"] = {"ticks": "outside"}
        axes[key] = {"title": {"text": safe(axis.title) + arrow}, "range": list(limits), **scale}
    return {
        "template": template(LIGHT),
        "title": {
            "text": f"{head} on the front of {safe(among, LONGEST_LIST)}",
            "subtitle": {"text": " · ".join(notes)},
        },
        **axes,
        **colours.layout,
        "height": 560,
    }
