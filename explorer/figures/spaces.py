"""Three and more objectives at once: configurations in space, and as lines over parallel axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorer.figures.columns import log_axis
from explorer.figures.front_marks import Marks, marks_of
from explorer.figures.hover import safe
from explorer.figures.scales import is_wide, span_of
from explorer.figures.space_colours import tint_of
from explorer.figures.theme import LIGHT, NEUTRAL, template
from explorer.results.columns import Columns
from explorer.results.naming import cut, number
from explorer.store.schema import PLAIN, At

__all__ = ["parallel_figure", "space_figure"]

Numbers = NDArray[np.float64]
Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]

MOST_DOMINATED = 2_000
"""Dominated points that are drawn; more are thinned evenly, and the figure says so."""
MOST_AXES = 12
"""Parallel axes that still have room for their names."""
LONGEST = 22
"""Characters of the name of a parallel axis."""
LEVEL = 70
"""Characters of all names that have room beside each other; more are slanted."""
CAMERA = {"eye": {"x": 1.55, "y": 1.55, "z": 0.95}, "center": {"x": 0, "y": 0, "z": -0.12}}
"""Far enough away for the names of the axes."""
MOST_WORDS = 12
"""Words of a parallel axis that have a tick each."""


def space_figure(
    columns: Columns,
    rows: Mask,
    x: str,
    y: str,
    z: str,
    colour: str,
    at: At = PLAIN,
    seeds: bool = False,
) -> go.Figure:
    """Configurations in the space of three columns: the front in colour, the dominated ones faded.

    Args:
        columns: the table.
        rows: (N,) its trials that are shown.
        x, y, z: metrics, or numeric parameters.
        colour: any column.
        at: the reading.
        seeds: a point per trial, not per configuration.

    A point's ``customdata`` is the identity of a trial: itself, or the one nearest its configuration's mean. O(N).
    """
    marks = marks_of(columns, rows, x, y, (at,), seeds)
    places = [marks.of(name) for name in (x, y, z)]
    here: Mask = np.logical_and.reduce([np.isfinite(place) for place in places])
    front, dominated, left_out = _parts(marks, here)
    tint = tint_of(marks, colour, at)
    figure = go.Figure()
    for name, own in tint.words:
        figure.add_scatter3d(
            x=[None], y=[None], z=[None], mode="markers", name=safe(name), marker={"color": own}
        )
    names = marks.names()
    for part, faded in ((dominated, True), (front, False)):
        if not len(part):
            continue
        figure.add_scatter3d(
            x=places[0][part],
            y=places[1][part],
            z=places[2][part],
            mode="markers",
            name="dominated" if faded else "on the front",
            showlegend=False,
            opacity=0.45 if faded else 1.0,
            customdata=[[columns.ids[row]] for row in marks.row[part]],
            hovertext=[_hover(columns, names[i], (x, y, z), [place[i] for place in places]) for i in part],
            hovertemplate="%{hovertext}<extra></extra>",
            marker={**tint.marker(part), "size": 3 if faded else 6, "line": {"width": 0}},
        )
    axes = zip(("xaxis", "yaxis", "zaxis"), (x, y, z), strict=True)
    figure.update_layout(
        template=template(LIGHT),
        title=_title(columns, len(front), int(here.sum()), at, "faded", left_out),
        scene={"camera": CAMERA, **{key: _axis(columns, name) for key, name in axes}},
        margin={"l": 8, "r": 8, "b": 8},
        height=600,
        **tint.layout,
    )
    return figure


def parallel_figure(
    columns: Columns, rows: Mask, names: Sequence[str], colour: str, at: At = PLAIN, seeds: bool = False
) -> go.Figure:
    """A line per configuration over an axis per column: the front in colour above the dominated ones in grey.

    What a configuration lacks, such as λ where there is none, lies below the axis at ``–``. Metrics are means over
    seeds, or single trials with ``seeds``. O(N · names).
    """
    names = list(dict.fromkeys(names))[:MOST_AXES]
    goals = [goal.metric for goal in columns.table.goals] or names or ["seed"]
    marks = marks_of(columns, rows, goals[0], goals[1 % len(goals)], (at,), seeds)
    front, dominated, left_out = _parts(marks, np.ones(len(marks), dtype=np.bool_))
    order = np.concatenate([dominated, front])  # the last are drawn on top
    tint = tint_of(marks, colour, at)
    dimensions = [_dimension(columns, marks, name, order) for name in names]
    slanted = sum(len(dimension["label"]) for dimension in dimensions) > LEVEL
    figure = go.Figure(
        go.Parcoords(
            line=tint.line(order, len(dominated)),
            dimensions=dimensions,
            customdata=[[columns.ids[row]] for row in marks.row[order]],
            labelangle=-25 if slanted else 0,
            labelfont={"size": 13},
            rangefont={"size": 1, "color": "rgba(0, 0, 0, 0)"},
            tickfont={"size": 11},
            unselected={"line": {"color": NEUTRAL, "opacity": 0.1}},
        )
    )
    figure.update_layout(
        template=template(LIGHT),
        title=_title(columns, len(front), len(marks), at, "grey", left_out),
        margin={"l": 84, "r": 84, "t": 164 if slanted else 128, "b": 32},
        height=560,
    )
    return figure


def _parts(marks: Marks, here: Mask) -> tuple[Codes, Codes, int]:
    """Points on the front, those of the others that are drawn, and how many of them are not."""
    front = np.flatnonzero(here & marks.front)
    others = np.flatnonzero(here & ~marks.front)
    if len(others) <= MOST_DOMINATED:
        return front, others, 0
    kept = others[np.linspace(0, len(others) - 1, MOST_DOMINATED).round().astype(np.int64)]
    return front, kept, len(others) - MOST_DOMINATED


def _title(columns: Columns, front: int, shown: int, at: At, look: str, left_out: int) -> dict[str, Any]:
    notes = [f"budget {safe(columns.reading_words(at))}", f"{look}: dominated"]
    if left_out:
        notes.append(f"{MOST_DOMINATED:,} of {MOST_DOMINATED + left_out:,} dominated ones drawn")
    goals = len(columns.table.goals)
    head = f"{front:,} of {shown:,} on the front of {goals} objective{'s' * (goals != 1)}"
    return {"text": head, "subtitle": {"text": " · ".join(notes)}}


def _axis(columns: Columns, name: str) -> dict[str, Any]:
    arrow = {"max": " →", "min": " ←"}.get(columns.direction(name) or "", "")
    low, high = span_of(columns, name)
    scale = log_axis(math.log10(high / low)) if is_wide(columns, name) else {}
    return {"title": {"text": safe(columns.table.title(name), 28) + arrow}, **scale}


def _hover(columns: Columns, name: str, axes: Sequence[str], values: Sequence[float]) -> str:
    told = (
        f"{safe(columns.table.title(axis), 24)} <b>{number(float(value))}</b>"
        for axis, value in zip(axes, values, strict=True)
    )
    return "<br>".join([f"<b>{safe(name, 60)}</b>", *told])


def _dimension(columns: Columns, marks: Marks, name: str, order: Codes) -> dict[str, Any]:
    """One parallel axis: numbers on a scale that suits them, words one above the other."""
    arrow = {"max": " ↑", "min": " ↓"}.get(columns.direction(name) or "", "")
    label = safe(columns.table.title(name), LONGEST) + arrow
    measured = name in columns.metric_names(marks.ats[0])
    if not measured and not columns.is_numeric(name):
        return {"label": label, **_of_words(columns, marks, name, order)}
    low, high = span_of(columns, name)
    values = marks.of(name)[order]
    log = is_wide(columns, name)
    if log:
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.where(values > 0, np.log10(values), np.nan)
        low, high = math.log10(low), math.log10(high)
    if not high > low:
        low, high = low - 0.5, high + 0.5
    ticks = _ticks(low, high, log)
    missing = ~np.isfinite(values)
    floor = low - 0.12 * (high - low)
    shown = {tick: number(10.0**tick if log else tick, 3) for tick in ticks}
    if missing.any():
        shown = {floor: "–", **shown}
    return {
        "label": label,
        "values": np.where(missing, floor, values),
        "range": [floor if missing.any() else low, high],
        "tickvals": list(shown),
        "ticktext": list(shown.values()),
    }


def _of_words(columns: Columns, marks: Marks, name: str, order: Codes) -> dict[str, Any]:
    words = columns.words(name)
    codes = words.codes[marks.row[order]]
    floor = -1 if (codes < 0).any() else 0
    listed = words.words[:MOST_WORDS]
    shown = {**({-1: "–"} if floor < 0 else {}), **{i: _tick(word) for i, word in enumerate(listed)}}
    return {
        "values": codes,
        "range": [floor - 0.2, max(len(words.words) - 1, floor + 1) + 0.2],
        "tickvals": list(shown),
        "ticktext": list(shown.values()),
    }


def _tick(word: str) -> str:
    """Ticks of parallel axes are no HTML: plotly shows them as they are."""
    return "".join(sign if sign.isprintable() else " " for sign in cut(word, 16))


def _ticks(low: float, high: float, log: bool) -> list[float]:
    """Places of ticks: whole powers of ten where there are two or more of them between the ends, else five evenly."""
    powers = [float(p) for p in range(math.ceil(low), math.floor(high) + 1)] if log else []
    if len(powers) >= 2:
        return powers[:: max(1, math.ceil(len(powers) / 8))]
    return [low + (high - low) * i / 4 for i in range(5)]
