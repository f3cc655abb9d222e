"""Filters on trials: by the values of a parameter, by its range, by a bound on a metric."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from explorer.figures import column, direction_of
from explorer.results.naming import plain
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import At

__all__ = [
    "Bound",
    "Filter",
    "OneOf",
    "Span",
    "label",
    "levels",
    "matching",
    "offered_choices",
    "offered_spans",
    "stops_with",
    "words",
]

MAX_LEVELS = 60
"""Stops of a range slider."""


@dataclass(frozen=True)
class OneOf:
    """The parameter has one of these values, as a reader sees them."""

    path: str
    values: frozenset[str]

    @property
    def name(self) -> str:
        """What is filtered by."""
        return self.path

    def admits(self, trial: Trial, table: TrialTable, at: At) -> bool:
        """Whether the trial passes."""
        return plain(trial.params.get(self.path)) in self.values


@dataclass(frozen=True)
class Span:
    """The parameter applies and lies in [low, high]; an end that is None is open, and follows the data."""

    path: str
    low: float | None
    high: float | None

    @property
    def name(self) -> str:
        """What is filtered by."""
        return self.path

    def admits(self, trial: Trial, table: TrialTable, at: At) -> bool:
        """Whether the trial passes."""
        value = trial.params.get(self.path)
        low, high = -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high
        return isinstance(value, int | float) and low <= value <= high


@dataclass(frozen=True)
class Bound:
    """The metric, at the reading shown, is at least as good as a limit."""

    metric: str
    limit: float

    @property
    def name(self) -> str:
        """What is filtered by."""
        return self.metric

    def admits(self, trial: Trial, table: TrialTable, at: At) -> bool:
        """Whether the trial passes."""
        value = trial.at(at).get(self.metric)
        if value is None:
            return False
        return value <= self.limit if direction_of(table, self.metric) == "min" else value >= self.limit


Filter = OneOf | Span | Bound


def matching(table: TrialTable, filters: Iterable[Filter], at: At) -> TrialTable:
    """The trials that pass every filter."""
    chosen = tuple(filters)
    kept = tuple(t for t in table if all(f.admits(t, table, at) for f in chosen))
    return replace(table, trials=kept)


def offered_choices(table: TrialTable) -> list[str]:
    """Varying parameters that are words, and the seed."""
    return [p for p in table.varying() if p == "seed" or not column(table, p).numeric]


def offered_spans(table: TrialTable) -> list[str]:
    """Varying parameters that are numbers of at least two values."""
    return [p for p in table.varying() if p != "seed" and len(levels(table, p)) > 1]


def words(table: TrialTable, path: str) -> list[str]:
    """The values of a parameter as a reader sees them, numbers in their order."""
    values = {plain(t.params.get(path)): t.params.get(path) for t in table}
    return sorted(values, key=lambda w: (0, v, "") if isinstance(v := values[w], int | float) else (1, 0, w))


def levels(table: TrialTable, path: str) -> list[float]:
    """Stops of a range slider: the values, or an even grid (on the log scale if wide) if they are too many.

    Stops have four digits, so that no two look alike; the outer ones are rounded outwards and hold every value.
    """
    by = column(table, path)
    if not by.numeric:
        return []
    values = sorted({v for v in by.values if isinstance(v, float)})
    low, high = _outwards(values[0], -1), _outwards(values[-1], 1)
    if len(values) > MAX_LEVELS:
        values = (np.geomspace if by.log else np.linspace)(low, high, MAX_LEVELS).tolist()
    return sorted({low, *(v for v in map(_rounded, values) if low < v < high), high})


def stops_with(stops: list[float], span: Span) -> list[float]:
    """The stops of a slider that can show a span, also one that reaches beyond the data."""
    return sorted({*stops, *(end for end in (span.low, span.high) if end is not None)})


def label(stop: float) -> str:
    """A stop as a reader sees it."""
    return f"{stop:.4g}"


def _rounded(value: float) -> float:
    return float(label(value))


def _outwards(value: float, side: int) -> float:
    """The nearest number of four digits that is not inside of the value."""
    near = _rounded(value)
    if (near - value) * side >= 0:
        return near
    return _rounded(value + side * 10.0 ** (math.floor(math.log10(abs(value))) - 3))
