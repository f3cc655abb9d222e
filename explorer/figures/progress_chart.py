"""How a front grew as trials finished: its hypervolume, and the front after the first so many."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from explorer.figures.chart import Axis, Card, CardRow, Chart, Layer, Line, Points
from explorer.figures.scales import axis_of
from explorer.figures.staircase import staircase
from explorer.pareto.progress import Progress
from explorer.results.columns import Columns
from explorer.results.naming import number
from explorer.store.schema import PLAIN, At
from explorer.words import counted

__all__ = ["growth_chart", "replay_chart", "time_unit"]

Numbers = NDArray[np.float64]

_UNITS = ((86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes"), (1.0, "seconds"))


def time_unit(seconds: float) -> tuple[float, str]:
    """Seconds in the unit in which a span of time is told, and its name: the largest that it holds twice."""
    return next(((size, name) for size, name in _UNITS if seconds >= 2 * size), (1.0, "seconds"))


def growth_chart(progress: Progress, reached: int | None = None, by_time: bool = False) -> Chart:
    """The hypervolume after each trial that finished, as steps; a ring after the first ``reached`` of them.

    ``by_time`` has the time since the first trial began on the axis, else the number of trials. O(V).
    """
    unit, word = time_unit(float(progress.moments[-1])) if len(progress.moments) else (1.0, "seconds")
    along = progress.moments / unit if by_time else progress.finished.astype(np.float64)
    title = f"Time since the first trial began, {word}" if by_time else "Trials that have finished"
    xs, ys = _steps(along, progress.volumes)
    layers: list[Layer] = [Line(xs, ys, "accent", 2.0)]
    if reached is not None and len(along):
        place = int(np.searchsorted(progress.finished, reached, side="right")) - 1
        moment = progress.moments[max(place, 0)] / unit if by_time else float(reached)
        volume = progress.volumes[place] if place >= 0 else 0.0
        layers.append(Points(np.array([moment]), np.array([volume]), colour="contrast", radius=6.0))
    known = progress.volumes[np.isfinite(progress.volumes)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    air = 0.06 * (high - low) or 0.05 * max(abs(high), 0.1)
    end = float(along[-1]) if len(along) else 1.0
    begin = 0.0 if by_time or not len(along) else min(float(along[0]), end)
    return Chart(
        Axis(title, begin, end if end > begin else begin + 1),
        Axis("Hypervolume", max(0.0, low - air), high + air, direction="max"),
        layers,
        title="The front as trials finished",
        subtitle=_growth(progress),
        alt="Hypervolume of the front over the trials that have finished.",
        height=330,
        file="hypervolume",
    )


def replay_chart(columns: Columns, progress: Progress, reached: int, x: str, y: str, at: At = PLAIN) -> Chart:
    """The front of the first ``reached`` trials that finished, over what came before; the frame is that of the end."""
    horizontal, vertical = axis_of(columns, x), axis_of(columns, y)
    rows = progress.order[:reached]
    front = progress.front_at(reached)[rows]
    xs, ys = columns.numbers(x, at)[rows], columns.numbers(y, at)[rows]
    layers: list[Layer] = []
    if horizontal.direction is not None and vertical.direction is not None:
        points = [
            (float(u), float(v)) for u, v in zip(xs, ys, strict=True) if math.isfinite(u) and math.isfinite(v)
        ]
        worst = tuple(a.low if a.direction == "max" else a.high for a in (horizontal, vertical))
        line = np.array(staircase(points, horizontal.direction, vertical.direction, (worst[0], worst[1])))
        if len(line):
            layers.append(Line(line[:, 0], line[:, 1], "accent", 1.4, opacity=0.7))
    keys = np.arange(len(rows))
    layers.append(Points(xs[~front], ys[~front], keys[~front], "muted", 3.5, opacity=0.45, name="dominated"))
    layers.append(Points(xs[front], ys[front], keys[front], "accent", 6.0, name="on the front"))
    if len(rows):
        newest = np.array([len(rows) - 1])
        layers.append(
            Points(xs[-1:], ys[-1:], newest, "contrast", 7.0, hollow=np.array([True]), name="the newest")
        )
    order = np.arange(1, len(rows) + 1, dtype=np.float64)
    card = Card(
        [columns.names[row] for row in rows],
        [columns.ids[row] for row in rows],
        [CardRow("finished as number", order), CardRow(horizontal.title, xs), CardRow(vertical.title, ys)],
    )
    return Chart(
        horizontal,
        vertical,
        layers,
        title=f"The front of the first {counted(len(rows), 'trial')}",
        subtitle=f"single trials at {at.words(with_method=len(columns.methods) > 1)} · {int(front.sum())} on the front",
        keys=[columns.ids[row] for row in rows],
        card=card,
        alt=f"The front after {counted(len(rows), 'trial')} had finished.",
        height=330,
        file=f"{columns.table.sweep}-replay",
    )


def _growth(progress: Progress) -> str:
    """What the last part of the trials added."""
    if len(progress.finished) < 2 or not math.isfinite(progress.volumes[-1]):
        return ""
    count, last = len(progress), float(progress.volumes[-1])
    half = int(np.searchsorted(progress.finished, count / 2, side="right")) - 1
    before = float(progress.volumes[half]) if half >= 0 else 0.0
    if last <= 0 or not math.isfinite(before):
        return ""
    return (
        f"{number(last, 4)} of single trials; the second half of them added {max(0.0, 1 - before / last):.1%}"
    )


def _steps(along: Numbers, values: Numbers) -> tuple[Numbers, Numbers]:
    """A line that keeps each value until the next one comes."""
    return np.repeat(along, 2)[1:], np.repeat(values, 2)[: 2 * len(values) - 1]
