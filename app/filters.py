"""Filters on trials: by the values of a parameter, by its range, by a bound on a metric."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from explorer.results.columns import Columns
from explorer.results.naming import plain
from explorer.store.schema import At

__all__ = [
    "Bound",
    "Filter",
    "OneOf",
    "Span",
    "labels",
    "levels",
    "matching",
    "offered_choices",
    "offered_spans",
    "stops_with",
    "words",
]

MAX_LEVELS = 60
"""Stops of a range slider."""
DIGITS = 4
"""Of the labels of stops."""
WIDE = 20.0
"""Positive values that span more than this factor have their stops on a logarithmic scale."""


@dataclass(frozen=True)
class OneOf:
    """The parameter has one of these values, as a reader sees them."""

    path: str
    values: frozenset[str]

    @property
    def name(self) -> str:
        """What is filtered by."""
        return self.path

    def admits(self, columns: Columns, at: At) -> NDArray[np.bool_]:
        """(N,) which trials pass."""
        column = columns.words(self.path)
        # Where the parameter does not apply, the reader sees its absence as a value of its own.
        told = np.array([word in self.values for word in (*column.words, plain(None))], dtype=np.bool_)
        return told[column.codes]


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

    def admits(self, columns: Columns, at: At) -> NDArray[np.bool_]:
        """(N,) which trials pass."""
        values = columns.numbers(self.path)
        low, high = -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high
        return (values >= low) & (values <= high)


@dataclass(frozen=True)
class Bound:
    """The metric, at the reading shown, is at least as good as a limit."""

    metric: str
    limit: float

    @property
    def name(self) -> str:
        """What is filtered by."""
        return self.metric

    def admits(self, columns: Columns, at: At) -> NDArray[np.bool_]:
        """(N,) which trials pass."""
        return self.holds(columns, columns.metric(self.metric, at))

    def holds(self, columns: Columns, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """(n,) which values of the metric are good enough; NaN is not."""
        return values <= self.limit if columns.direction(self.metric) == "min" else values >= self.limit


Filter = OneOf | Span | Bound


def matching(columns: Columns, filters: Iterable[Filter], at: At) -> NDArray[np.bool_]:
    """(N,) the trials that pass every filter; O(N) a filter."""
    passed = np.ones(len(columns), dtype=np.bool_)
    for chosen in filters:
        passed &= chosen.admits(columns, at)
    return passed


def offered_choices(columns: Columns) -> list[str]:
    """Varying parameters that are words, and the seed."""
    return [path for path in columns.varying if path == "seed" or not columns.is_numeric(path)]


def offered_spans(columns: Columns) -> list[str]:
    """Varying parameters that are numbers of at least two values."""
    return [path for path in columns.varying if path != "seed" and len(levels(columns, path)) > 1]


def words(columns: Columns, path: str) -> list[str]:
    """The values of a parameter as a reader sees them, numbers in their order; its absence is one too."""
    column = columns.words(path)
    return [*column.words, *([plain(None)] if (column.codes < 0).any() else [])]


def levels(columns: Columns, path: str) -> list[float]:
    """Stops of a range slider: the values, or an even grid (on the log scale if wide) if they are too many.

    Stops of a grid have four digits; the outer ones are rounded outwards and hold every value.
    """
    if not columns.is_numeric(path):
        return []
    numbers = columns.numbers(path)
    values: list[float] = np.unique(numbers[np.isfinite(numbers)]).tolist()
    if len(values) <= MAX_LEVELS:
        return values
    low, high = _outwards(values[0], -1), _outwards(values[-1], 1)
    grid = (np.geomspace if low > 0 and high / low > WIDE else np.linspace)(low, high, MAX_LEVELS)
    return sorted({low, *(v for v in map(_rounded, grid.tolist()) if low < v < high), high})


def stops_with(stops: list[float], span: Span) -> list[float]:
    """The stops of a slider that can show a span, also one that reaches beyond the data."""
    return sorted({*stops, *(end for end in (span.low, span.high) if end is not None)})


def labels(stops: Iterable[float]) -> dict[float, str]:
    """Stops as a reader sees them: of four digits, or of as many as it takes to tell them apart."""
    every = list(stops)
    for digits in range(DIGITS, 17):
        told = {stop: f"{stop:.{digits}g}" for stop in every}
        if len(set(told.values())) == len(told):
            return told
    return {stop: repr(stop) for stop in every}


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _outwards(value: float, side: int) -> float:
    """The nearest number of four digits that is not inside of the value."""
    near = _rounded(value)
    if (near - value) * side >= 0:
        return near
    return _rounded(value + side * 10.0 ** (math.floor(math.log10(abs(value))) - DIGITS + 1))
