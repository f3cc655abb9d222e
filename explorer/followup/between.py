"""Configurations between others: numbers along the chain of those that share their words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from explorer.results.catalogue import LAMBDA
from explorer.results.table import Scalar

__all__ = ["Chain", "chain_of", "is_number"]

WIDE = 4.0
"""Positive numbers whose ratio is greater are spread evenly by their logarithms, as λ always is."""
DIGITS = 4
"""Of the numbers between."""
SAME = 10
"""Numbers are the same that are so to so many digits."""

Point = dict[str, Scalar]


@dataclass(frozen=True)
class Chain:
    """Configurations that differ in numbers alone, by growing value of a metric.

    Attributes:
        words: what they share, numbers that are the same everywhere among them.
        values: (n,) the metric, growing.
        numbers: path → (n,) values.
        log, whole: paths that are spread by logarithms; those that take whole numbers.
        own: numbers of its configurations, to ten digits and to a few.
    """

    words: Point
    values: tuple[float, ...]
    numbers: Mapping[str, tuple[float, ...]]
    log: frozenset[str]
    whole: frozenset[str]
    own: frozenset[tuple[Scalar, ...]]

    def between(self, targets: Sequence[float]) -> list[Point]:
        """The points at which the metric should have these values, if it goes evenly from each to the next.

        Each point once, and none of the chain's own. O(targets · paths).
        """
        found: dict[tuple[Scalar, ...], None] = {}
        for target in targets:
            exact = [self._at(path, target) for path in self.numbers]
            near = zip(exact, self.numbers.items(), strict=True)
            numbers = tuple(_few_digits(value, column, path in self.whole) for value, (path, column) in near)
            if not {numbers, _to_digits(exact, SAME)} & self.own:
                found[numbers] = None
        return [{**self.words, **dict(zip(self.numbers, numbers, strict=True))} for numbers in found]

    def _at(self, path: str, target: float) -> float:
        column = self.numbers[path]
        if path in self.log:
            return math.exp(float(np.interp(target, self.values, [math.log(value) for value in column])))
        return float(np.interp(target, self.values, column))


def chain_of(points: Sequence[Mapping[str, Scalar]], values: Sequence[float]) -> Chain:
    """The chain of points (n) that share their words and the paths of their numbers, by growing values (n).

    Of equal values the first counts: between them nothing goes evenly.
    """
    order = sorted(range(len(points)), key=lambda i: values[i])
    order = [i for place, i in enumerate(order) if place == 0 or values[i] > values[order[place - 1]]]
    words = {
        path: value
        for path, value in points[0].items()
        if not is_number(value) or all(point[path] == value for point in points)
    }
    paths = [path for path in points[0] if path not in words]
    numbers = {path: tuple(_number(points[i][path]) for i in order) for path in paths}
    log = {path for path, column in numbers.items() if min(column) > 0 and _is_wide(path, column)}
    whole = frozenset(path for path in paths if all(isinstance(point[path], int) for point in points))
    own = {
        _to_digits([_number(point[path]) for path in paths], digits)
        for point in points
        for digits in (DIGITS, SAME)
    }
    return Chain(words, tuple(values[i] for i in order), numbers, frozenset(log), whole, frozenset(own))


def is_number(value: Scalar) -> bool:
    """Whether a parameter is a number between others, not a word or a switch."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_wide(path: str, column: Sequence[float]) -> bool:
    return path == LAMBDA or max(column) / min(column) > WIDE


def _number(value: Scalar) -> float:
    return float(value) if isinstance(value, int | float) else math.nan


def _to_digits(values: Sequence[float], digits: int) -> tuple[Scalar, ...]:
    return tuple(float(f"{value:.{digits}g}") for value in values)


def _few_digits(value: float, column: Sequence[float], is_whole: bool) -> Scalar:
    """A number as a file should have it: few digits, as long as it lies between those of the chain with them."""
    low, high = min(column), max(column)
    value = min(max(value, low), high)
    if is_whole:
        return round(value)
    near = (float(f"{value:.{digits}g}") for digits in range(DIGITS, 17))
    return next((number for number in near if low <= number <= high), value)
