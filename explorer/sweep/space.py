"""The space of a sweep: axes over any field of a trial, walked as a grid or drawn from by a search."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, pairwise, product
from typing import Any, Protocol

from explorer.errors import UserError, shown
from explorer.sweep.messages import MOVED
from trainables.nearest import nearest

__all__ = ["Axis", "Chooser", "Interval", "Listed", "Point", "Space", "parse_space"]

MOST_STEPS = 1000
MOST_PROBES = 10_000
"""Combinations of values that are looked at before a search begins; a second."""

FARTHEST = 1e100
"""Ends of a range; beyond, their ratio is no number."""

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


class Axis(ABC):
    """One dimension of the space."""

    @abstractmethod
    def count(self) -> int:
        """How many values a grid visits, at most."""

    @abstractmethod
    def values(self) -> list[Any]:
        """What a grid visits."""

    @abstractmethod
    def choose(self, name: str, chooser: Chooser) -> Any:
        """A value of a search's choosing."""

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

    def choose(self, name: str, chooser: Chooser) -> Any:
        """One option; options travel as JSON text, since a sampler knows scalars only."""
        return json.loads(chooser.choice(name, [json.dumps(option) for option in self.options]))

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
        """``steps``, which there must be."""
        if self.steps is None:
            raise UserError(
                f"a grid needs 'steps' to walk the range [{self.low:g}, {self.high:g}], got none; "
                "add steps: 5 or use another search"
            )
        return self.steps

    def values(self) -> list[Any]:
        """``steps`` values from low to high: the ends as they are, others with as few digits as tell them apart."""
        steps = self.count()
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

    def choose(self, name: str, chooser: Chooser) -> Any:
        """A number of the interval, or one of its steps."""
        if self.steps is not None:
            return Listed(tuple(self.values())).choose(name, chooser)
        value = chooser.number(name, self.low, self.high, self.log, self.whole)
        return round(value) if self.whole else value

    def extremes(self) -> list[Any]:
        """The ends, of the steps where there are any."""
        if self.steps is not None:
            return list(dict.fromkeys([self.values()[0], self.values()[-1]]))
        return [round(self.low), round(self.high)] if self.whole else [self.low, self.high]


@dataclass(frozen=True)
class Space:
    """A union of boxes; each box is a product of axes."""

    boxes: tuple[Mapping[str, Axis], ...]

    def paths(self) -> list[str]:
        """Every dotted path that some box varies."""
        return list(dict.fromkeys(path for box in self.boxes for path in box))

    def size(self) -> int:
        """Points of the grid, counted without making them."""
        return sum(math.prod(axis.count() for axis in box.values()) for box in self.boxes)

    def grid(self) -> Iterator[Point]:
        """All points, box by box, the last axis fastest."""
        for box in self.boxes:
            for values in product(*(axis.values() for axis in box.values())):
                yield dict(zip(box, values, strict=True))

    def choose(self, chooser: Chooser) -> Point:
        """A point of a search's choosing."""
        box = self.boxes[0]
        if len(self.boxes) > 1:
            names = [str(i) for i in range(len(self.boxes))]
            box = self.boxes[int(chooser.choice("box", names))]
        return {path: axis.choose(path, chooser) for path, axis in box.items()}

    def alone(self) -> Iterator[Point]:
        """Extremes along each axis, others at their first: a value to be refused is found soon."""
        for box in self.boxes:
            ends = {path: axis.extremes() for path, axis in box.items()}
            first = {path: values[0] for path, values in ends.items()}
            yield first
            yield from ({**first, path: value} for path, values in ends.items() for value in values[1:])

    def probes(self) -> Iterator[Point]:
        """Points whose validity stands for that of the whole space: extremes alone, then combined.

        Every box has its share of ``MOST_PROBES`` combinations: all it has, or as many of those of every two axes.
        """
        yield from self.alone()
        share = max(1, MOST_PROBES // len(self.boxes))
        for box in self.boxes:
            if len(box) > 1:
                ends = {path: axis.extremes() for path, axis in box.items()}
                yield from islice(_combined(ends, share), share)


def _combined(ends: Mapping[str, list[Any]], few: int) -> Iterator[Point]:
    """Points that differ from the first along two axes, or all combinations where they are few."""
    first = {path: values[0] for path, values in ends.items()}
    if math.prod(map(len, ends.values())) <= few:
        yield from (dict(zip(ends, values, strict=True)) for values in product(*ends.values()))
        return
    for one, other in combinations(ends, 2):
        for value, beside in product(ends[one][1:], ends[other][1:]):
            yield {**first, one: value, other: beside}


def parse_space(raw: Any, whole: Mapping[str, bool], where: str = "space") -> Space:
    """A mapping of axes, or a list of such mappings.

    ``whole`` has every path that can vary, and whether it takes whole numbers.
    """
    if raw is None:
        return Space(({},))
    if not raw:
        raise UserError(
            f"{where} is empty: give it an axis such as objective.lam: [0.1, 1, 10], or leave it out"
        )
    boxes = raw if isinstance(raw, list) else [raw]
    parsed = []
    for index, box in enumerate(boxes):
        here = f"{where}[{index}]" if isinstance(raw, list) else where
        if not isinstance(box, Mapping) or not box:
            raise UserError(
                f"{here} must map dotted paths to axes, for example objective.lam: [0.1, 1, 10]; got {shown(box)}"
            )
        for path in box:
            section, dot, _ = str(path).partition(".")
            if dot and section in box:
                raise UserError(
                    f"{here} varies both '{section}' and '{path}'; put the field into the section's options"
                )
        parsed.append({str(path): _axis(str(path), value, whole, here) for path, value in box.items()})
    return Space(tuple(parsed))


def _axis(path: str, raw: Any, whole: Mapping[str, bool], where: str) -> Axis:
    section = path.partition(".")[0]
    if section in ("refinement", "evaluation"):
        raise UserError(
            f"{where}.{path}: a space varies what is trained, and '{section}' says what is read; every trial is read "
            f"at all of it, so write it in the section '{section}'"
        )
    if section in ("base", "start"):
        raise UserError(
            f"{where}.{path}: a sweep has one base for each dataset, model and seed, and a space varies what begins at "
            f"it; vary '{section}' by a sweep of its own"
        )
    if path in MOVED:
        raise UserError(f"unknown path '{path}' in {where}: it is '{MOVED[path]}' now")
    if path not in whole:
        raise UserError(f"unknown path {shown(path)} in {where}{nearest(path, whole)}")
    name = f"{where}.{path}"
    if "." not in path:
        options = raw.get("choice") if isinstance(raw, Mapping) and list(raw) == ["choice"] else raw
        if not isinstance(options, list) or not all(isinstance(option, Mapping) for option in options):
            raise UserError(f"{name} is a section: list mappings such as [{{name: …}}], got {shown(raw)}")
    if isinstance(raw, list):
        return _choice(name, raw)
    if not isinstance(raw, Mapping):
        raise UserError(
            f"{name} must be a list, choice, range or log_range, got {shown(raw)}; write [{shown(raw)}] for one value"
        )
    kinds = [key for key in ("choice", "range", "log_range") if key in raw]
    unknown = [key for key in raw if key not in ("choice", "range", "log_range", "steps")]
    if unknown:
        raise UserError(
            f"unknown key {shown(unknown[0])} in {name}{nearest(unknown[0], ['choice', 'range', 'log_range', 'steps'])}"
        )
    if len(kinds) != 1:
        raise UserError(f"{name} needs exactly one of choice, range, log_range, got {kinds or 'none'}")
    kind = kinds[0]
    if kind == "choice":
        if "steps" in raw:
            raise UserError(f"{name}.steps belongs to a range, and 'choice' lists its values; leave it out")
        if not isinstance(raw["choice"], list):
            raise UserError(f"{name}.choice must be a list, got {shown(raw['choice'])}")
        return _choice(name, raw["choice"])
    return _interval(f"{name}.{kind}", raw[kind], raw.get("steps"), kind == "log_range", whole[path])


def _choice(name: str, options: list[Any]) -> Listed:
    if not options:
        raise UserError(f"{name} is empty: an axis needs at least one value")
    return Listed(tuple(options))


def _interval(name: str, ends: Any, steps: Any, log: bool, whole: bool) -> Interval:
    numeric = isinstance(ends, list) and len(ends) == 2
    if not numeric or not all(isinstance(e, int | float) and not isinstance(e, bool) for e in ends):
        raise UserError(f"{name} must be two numbers [low, high], got {shown(ends)}")
    low, high = float(ends[0]), float(ends[1])
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise UserError(f"{name} is empty: low must be below high, got [{low:g}, {high:g}]")
    if max(abs(low), abs(high)) > FARTHEST or (log and 0 < low < 1 / FARTHEST):
        raise UserError(f"{name} must lie within ±{FARTHEST:g}, got [{low:g}, {high:g}]; use nearer ends")
    if log and low <= 0:
        raise UserError(f"{name} must start above 0, got {low:g}; use range for an interval that holds 0")
    whole_steps = isinstance(steps, int) and not isinstance(steps, bool)
    if steps is not None and not (whole_steps and 1 <= steps <= MOST_STEPS):
        raise UserError(f"steps of {name} must be a whole number from 1 to {MOST_STEPS}, got {shown(steps)}")
    return Interval(low, high, log, whole, steps)
