"""Metrics over training: of one trial, or of several in a panel per metric."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from explorer.figures.chart import Axis, Chart, Layer, Line, Panel
from explorer.figures.thinning import evenly

__all__ = ["histories_chart", "history_chart"]

Rows = Sequence[tuple[int, float]]
Drawn = tuple[NDArray[np.float64], NDArray[np.float64]]


def history_chart(
    history: Mapping[str, Rows], titles: Callable[[str], str] = str, title: str = "Over training"
) -> Chart | None:
    """Metrics over iterations: those within [0, 1] in one panel, others, such as FID, in a second; None without any.

    A long history is drawn with some of its points, the first and the last among them. O(points).
    """
    drawn = {metric: line for metric, rows in history.items() if (line := _line(rows)) is not None}
    if not drawn:
        return None
    inside = [metric for metric, (_, y) in drawn.items() if y.min() >= 0 and y.max() <= 1]
    outside = [metric for metric in drawn if metric not in inside]
    colours = {metric: f"category:{i % 8}" for i, metric in enumerate(drawn)}
    x = _iterations(drawn.values())
    panels = [
        Panel(
            ", ".join(titles(metric) for metric in group),
            [Line(*drawn[metric], colours[metric], markers=True, name=titles(metric)) for metric in group],
            y=_values([drawn[metric] for metric in group], "", group is inside),
        )
        for group in (inside, outside)
        if group
    ]
    return _chart(x, panels, title, f"{', '.join(map(titles, drawn))} over iterations.", "history")


def histories_chart(
    histories: Mapping[str, Mapping[str, Rows]],
    metrics: Sequence[str],
    titles: Callable[[str], str] = str,
    title: str = "Over training",
) -> Chart | None:
    """The histories of several trials by name, a panel per metric and a colour per trial; None where none has any."""
    found = {
        (name, metric): line
        for name, history in histories.items()
        for metric in metrics
        if (line := _line(history.get(metric, ()))) is not None
    }
    if not found:
        return None
    colours = {name: f"category:{i % 8}" for i, name in enumerate(histories)}
    panels = []
    named: set[str] = set()
    for metric in metrics:
        lines = {name: found[name, metric] for name in histories if (name, metric) in found}
        if not lines:
            continue
        layers: list[Layer] = [
            # A trial is in the legend once, whatever the number of panels.
            Line(*line, colours[name], markers=True, name="" if name in named else name)
            for name, line in lines.items()
        ]
        named |= set(lines)
        bounded = all(y.min() >= 0 and y.max() <= 1 for _, y in lines.values())
        panels.append(Panel(titles(metric), layers, y=_values(list(lines.values()), "", bounded)))
    return _chart(
        _iterations(found.values()), panels, title, f"Training of {', '.join(histories)}.", "histories"
    )


def _chart(x: Axis, panels: Sequence[Panel], title: str, alt: str, file: str) -> Chart:
    """One panel is a chart of its own."""
    if len(panels) == 1:
        (panel,) = panels
        assert panel.y is not None
        return Chart(
            x, panel.y, panel.layers, title=title, subtitle=panel.title, alt=alt, height=380, file=file
        )
    return Chart(x, Axis("", 0.0, 1.0), [], title=title, panels=panels, alt=alt, height=380, file=file)


def _line(rows: Rows) -> Drawn | None:
    """Iterations and values that can be drawn; None where there are fewer than two, which tell of no course."""
    kept = evenly([(step, value) for step, value in rows if math.isfinite(value) and abs(value) < 1e100])
    if len(kept) < 2:
        return None
    steps, values = zip(*kept, strict=True)
    return np.array(steps, dtype=np.float64), np.array(values, dtype=np.float64)


def _iterations(lines: Iterable[Drawn]) -> Axis:
    ends = [(float(x.min()), float(x.max())) for x, _ in lines]
    low, high = min(0.0, *(end[0] for end in ends)), max(end[1] for end in ends)
    return Axis("Iteration", low, high + 0.02 * (high - low or 1.0))


def _values(lines: Sequence[Drawn], title: str, bounded: bool) -> Axis:
    """[0, 1] for what cannot leave it, else from 0 or below to a little above the greatest value."""
    if bounded:
        return Axis(title, 0.0, 1.02)
    low = min(0.0, *(float(y.min()) for _, y in lines))
    high = max(float(y.max()) for _, y in lines)
    air = 0.05 * (high - low or max(1.0, abs(high)))
    return Axis(title, low - air if low < 0 else 0.0, high + air)
