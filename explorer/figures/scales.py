"""Scales of a sweep's columns: the same at every reading and whatever is filtered, so that a moving point moves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from explorer.figures.chart import Axis, Scale, Sizes
from explorer.figures.theme import SCALE
from explorer.pareto.cloud import Cloud
from explorer.results.columns import Columns
from explorer.results.fields import sentence_in
from explorer.store.schema import PLAIN

__all__ = [
    "LOG_RATIO",
    "axis_of",
    "is_wide",
    "mean_span_of",
    "possible",
    "scale_of",
    "sizes_of",
    "span_of",
    "usual_axes",
]

LOG_RATIO = 20.0
"""Positive values that span more than this factor are spread on a logarithmic scale."""
MARGIN = 0.05
"""Share of an axis that is left free at either end."""
WIDEST = 1e300
"""An axis ends here: the length of one between the greatest floats would be none."""


def span_of(columns: Columns, name: str) -> tuple[float, float]:
    """Least and greatest value of a column over all finished trials at all readings; 0 and 1 where it has none.

    O(trials · readings) once, kept with the columns.
    """
    key = "span", name
    found = columns.kept(key, lambda: _span(columns, name))
    return found


def mean_span_of(columns: Columns, name: str) -> tuple[float, float]:
    """The same of the means over the finished seeds of every configuration; that of trials where it is no metric.

    O(trials · readings) once, kept with the columns.
    """
    if name not in columns.metric_names(PLAIN):
        return span_of(columns, name)
    found = columns.kept(("mean span", name), lambda: _mean_span(columns, name))
    return found


def is_wide(columns: Columns, name: str) -> bool:
    """Whether a logarithmic scale suits a column: positive, far apart, and not to be made large."""
    low, high = span_of(columns, name)
    return columns.direction(name) != "max" and low > 0 and high / low > LOG_RATIO


def axis_of(columns: Columns, name: str, span: tuple[float, float] | None = None) -> Axis:
    """The axis of a column, a little longer at either end than its values, or than a part of them, ``span``."""
    low, high = span_of(columns, name) if span is None else span
    log = is_wide(columns, name)
    if log:
        free = (high / low) ** MARGIN
        low, high = low / free, high * free
    else:
        free = MARGIN * ((high - low) or max(abs(high), 1.0))
        low, high = max(low - free, -WIDEST), min(high + free, WIDEST)
    title, hint = columns.table.title(name), sentence_in(columns, name)
    return Axis(title, low, high, log=log, direction=columns.direction(name), hint=hint)


def possible(columns: Columns, name: str, ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ends of intervals as far as the column's values can lie: no recall is greater than 1. O(n) for n ends."""
    least, most = columns.table.catalogue.bounds(name)
    return np.clip(ends, -np.inf if least is None else least, np.inf if most is None else most)


def scale_of(columns: Columns, name: str, means: bool = False) -> Scale:
    """The colours of a numeric column, of trials or of the means of configurations; dark is better."""
    low, high = mean_span_of(columns, name) if means else span_of(columns, name)
    stops = SCALE[::-1] if columns.direction(name) == "max" else SCALE
    title, hint = columns.table.title(name), sentence_in(columns, name)
    return Scale(title, low, high, stops, log=is_wide(columns, name), hint=hint)


def sizes_of(columns: Columns, name: str) -> Sizes:
    """The sizes of points by a numeric column."""
    low, high = span_of(columns, name)
    hint = sentence_in(columns, name)
    return Sizes(columns.table.title(name), low, high, log=is_wide(columns, name), hint=hint)


def usual_axes(columns: Columns) -> tuple[str, str, str]:
    """Horizontal, vertical and colour unless the reader says otherwise.

    Recall, precision and a third goal, such as FID, where they were measured; else the sweep's own goals.
    """
    names = [n for n in columns.metric_names(PLAIN) if not columns.table.catalogue.is_diagnostic(n)]
    goals = [goal.metric for goal in columns.table.goals if goal.metric in names]
    axes = [*goals, *names, *columns.axis_names(PLAIN)]
    if {"recall", "precision"} <= set(names):
        axes = ["recall", "precision", *axes]
    x, y, colour = (*dict.fromkeys(axes), "recall", "precision", "fid")[:3]
    return x, y, colour


def _span(columns: Columns, name: str) -> tuple[float, float]:
    ends = []
    for at in columns.readings if name in columns.metric_names(PLAIN) else (PLAIN,):
        values = columns.numbers(name, at)[columns.finished]
        values = values[np.isfinite(values)]
        if len(values):
            ends += [float(values.min()), float(values.max())]
    return (min(ends), max(ends)) if ends else (0.0, 1.0)


def _mean_span(columns: Columns, name: str) -> tuple[float, float]:
    ends = []
    for at in columns.readings:
        cloud = Cloud.of(columns, columns.finished, (name,), at)
        if len(cloud):
            ends += [float(cloud.mean.min()), float(cloud.mean.max())]
    return (min(ends), max(ends)) if ends else (0.0, 1.0)
