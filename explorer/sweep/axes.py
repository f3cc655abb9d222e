"""Axes of a space: listed values and intervals, each with the conditions under which it applies."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol

from explorer.errors import UserError

__all__ = ["Axis", "Chooser", "Condition", "Interval", "Listed", "Point", "as_text"]

Point = dict[str, Any]
"""Values by dotted path: what one point of the space sets in a trial."""


class Chooser(Protocol):
    """Decides for a search; names repeat from point to point, so that a sampler can learn."""

    def choice(self, name: str, options: Sequence[str]) -> str:
        """One of the options."""
        ...

    def number(self, name: str, low: float, high: float, log: bool, whole: bool) -> float:
        """A number of the closed interval."""
        ...


def as_text(value: Any) -> str:
    """A value as JSON; numbers that are equal are one text, so 1 and 1.0 are."""
    return json.dumps(_evened(value), sort_keys=True)


def _evened(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _evened(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_evened(inner) for inner in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


@dataclass(frozen=True)
class Condition:
    """An axis applies only where another path has one of some values.

    Attributes:
        path: of the other axis.
        allowed: its values, as texts.
        absent: whether the condition holds where the other axis does not apply itself: by what the file says there.
    """

    path: str
    allowed: frozenset[str]
    absent: bool = False

    def holds(self, point: Mapping[str, Any]) -> bool:
        """Whether a point meets it; the point must have all axes that come before."""
        return as_text(point[self.path]) in self.allowed if self.path in point else self.absent


@dataclass(frozen=True)
class Axis(ABC):
    """One dimension of the space.

    Attributes:
        when: the conditions, all of which hold where it applies.
    """

    when: tuple[Condition, ...] = field(default=(), kw_only=True)

    def applies(self, point: Mapping[str, Any]) -> bool:
        """Whether it has a value at a point, which must have the axes that come before."""
        return all(condition.holds(point) for condition in self.when)

    @abstractmethod
    def count(self) -> int:
        """How many values a grid visits."""

    @abstractmethod
    def values(self) -> list[Any]:
        """What a grid visits."""

    @property
    @abstractmethod
    def finite(self) -> bool:
        """Whether a search can choose no other values than a grid visits."""

    @abstractmethod
    def choose(self, name: str, chooser: Chooser) -> Any:
        """A value of a search's choosing."""

    @abstractmethod
    def spelled(self, value: Any) -> str | float | None:
        """What a chooser must say to choose this value; None if the axis does not hold it."""

    @abstractmethod
    def extremes(self) -> list[Any]:
        """Values to validate: if these are admissible, all are."""


@dataclass(frozen=True)
class Listed(Axis):
    """Listed values, of any type."""

    options: tuple[Any, ...]

    def count(self) -> int:
        """All options."""
        return len(self.options)

    def values(self) -> list[Any]:
        """All options."""
        return list(self.options)

    @property
    def finite(self) -> bool:
        """It is."""
        return True

    def choose(self, name: str, chooser: Chooser) -> Any:
        """One option; options travel as JSON text, since a sampler knows scalars only."""
        return json.loads(chooser.choice(name, self._texts()))

    def _texts(self) -> list[str]:
        return list(dict.fromkeys(json.dumps(option) for option in self.options))

    def spelled(self, value: Any) -> str | None:
        """The text of the option that equals the value."""
        wanted = as_text(value)
        return next((text for text in self._texts() if as_text(json.loads(text)) == wanted), None)

    def extremes(self) -> list[Any]:
        """All options."""
        return list(self.options)


@dataclass(frozen=True)
class Interval(Axis):
    """A closed interval, linear or logarithmic; ``steps`` equidistant values make it a list."""

    low: float
    high: float
    log: bool
    whole: bool
    steps: int | None

    def count(self) -> int:
        """``steps``, which there must be, less those that are the same whole number."""
        if self.steps is None:
            raise UserError(
                f"a grid needs 'steps' to walk the range [{self.low:g}, {self.high:g}], got none; "
                "add steps: 5 or use another search"
            )
        return len(self.values()) if self.whole else self.steps

    def values(self) -> list[Any]:
        """``steps`` values from low to high: the ends as they are, others with as few digits as tell them apart."""
        steps = self.steps or self.count()
        between = [self._at(i / (steps - 1)) for i in range(1, steps - 1)]
        if self.whole:
            return list(dict.fromkeys(map(round, [self.low, *between, self.high][:steps])))
        for digits in (6, 9, 12, 17):
            short = [float(f"{value:.{digits}g}") for value in between]
            found = [self.low, *short, self.high][:steps]
            if all(a < b for a, b in pairwise(found)):
                break
        return found

    def _at(self, share: float) -> float:
        """The value a share of the way from low to high."""
        if self.log:
            return math.exp(math.log(self.low) + share * math.log(self.high / self.low))
        return self.low + share * (self.high - self.low)

    @property
    def finite(self) -> bool:
        """Steps are."""
        return self.steps is not None

    def choose(self, name: str, chooser: Chooser) -> Any:
        """A number of the interval, or one of its steps."""
        if self.steps is not None:
            return self._listed().choose(name, chooser)
        value = chooser.number(name, self.low, self.high, self.log, self.whole)
        return round(value) if self.whole else value

    def _listed(self) -> Listed:
        return Listed(tuple(self.values()))

    def spelled(self, value: Any) -> str | float | None:
        """The number itself, or the text of its step."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        if self.steps is not None:
            return self._listed().spelled(value)
        inside = self.low <= value <= self.high and (not self.whole or value == round(value))
        return float(value) if inside else None

    def extremes(self) -> list[Any]:
        """The ends, of the steps where there are any."""
        if self.steps is not None:
            return list(dict.fromkeys([self.values()[0], self.values()[-1]]))
        return [round(self.low), round(self.high)] if self.whole else [self.low, self.high]
