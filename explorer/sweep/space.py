"""The space of a sweep: boxes of axes over any field of a trial, walked as a grid or drawn from by a search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice, product
from typing import Any

from explorer.errors import UserError
from explorer.sweep.axes import Axis, Chooser, Interval, Point, as_text

__all__ = ["Space"]

MOST_PROBES = 10_000
"""Combinations of values that are looked at before a search begins; seconds."""

MOST_CASES = 10_000
"""Ways in which conditions can go that are told apart when points are counted."""

BOX = "box"
"""What a chooser hears the choice among boxes called."""

Box = Mapping[str, Axis]
"""A product of axes; those that others depend on come before them."""


@dataclass(frozen=True)
class Space:
    """A union of boxes. An axis that does not apply at a point has no value there."""

    boxes: tuple[Box, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "boxes", tuple(map(_in_order, self.boxes)))

    def paths(self) -> list[str]:
        """Every dotted path that some box varies."""
        return list(dict.fromkeys(path for box in self.boxes for path in box))

    def size(self) -> int:
        """Points of the grid, counted without making them."""
        return sum(_size(box, {path: axis.values() for path, axis in box.items()}) for box in self.boxes)

    @cached_property
    def finite(self) -> bool:
        """Whether a search that draws can meet no points but those of the grid."""
        return all(axis.finite for box in self.boxes for axis in box.values())

    def grid(self) -> Iterator[Point]:
        """All points, box by box, the last axis fastest."""
        for box in self.boxes:
            yield from _walk(box, {path: axis.values() for path, axis in box.items()})

    def choose(self, chooser: Chooser) -> Point:
        """A point of a search's choosing, which is asked for the axes that apply."""
        index = int(chooser.choice(BOX, self._numbers)) if len(self.boxes) > 1 else 0
        names = self.names[index]
        return _settled(self.boxes[index], lambda path, axis: axis.choose(names[path], chooser))

    def choose_everywhere(self, chooser: Chooser) -> Point:
        """The same by a chooser that is asked for all axes of all boxes, whether they apply or not."""
        index = int(chooser.choice(BOX, self._numbers)) if len(self.boxes) > 1 else 0
        said: dict[str, Any] = {}
        for names, box in zip(self.names, self.boxes, strict=True):
            for path, axis in box.items():
                if names[path] not in said:
                    said[names[path]] = axis.choose(names[path], chooser)
        return _settled(self.boxes[index], lambda path, axis: said[self.names[index][path]])

    def spelled(self, point: Mapping[str, Any]) -> dict[str, str | float] | None:
        """What a chooser must say, by name, to choose this point; None if it does not lie in the space."""
        for index, box in enumerate(self.boxes):
            said: dict[str, str | float] = {BOX: self._numbers[index]} if len(self.boxes) > 1 else {}
            met: Point = {}
            for path, axis in box.items():
                if axis.applies(met):
                    value = axis.spelled(point[path]) if path in point else None
                    if value is None:
                        break
                    said[self.names[index][path]] = value
                    met[path] = point[path]
            else:
                if len(met) == len(point):
                    return said
        return None

    @property
    def _numbers(self) -> list[str]:
        return [str(index) for index in range(len(self.boxes))]

    @cached_property
    def names(self) -> list[dict[str, str]]:
        """What a chooser hears each axis called, box by box: its path, and the box's number where boxes differ."""
        plain = [{path: replace(axis, when=()) for path, axis in box.items()} for box in self.boxes]
        first: dict[str, Axis] = {}
        shared = dict.fromkeys(self.paths(), True)
        for box in plain:
            for path, axis in box.items():
                shared[path] = shared[path] and first.setdefault(path, axis) == axis
        return [{p: p if shared[p] else f"{p} [{index}]" for p in box} for index, box in enumerate(plain)]

    def alone(self) -> Iterator[Point]:
        """Extremes along each axis, others at their first: a value to be refused is found soon."""
        for box in self.boxes:
            yield from _alone(box, _extremes(box))

    def probes(self) -> Iterator[Point]:
        """Points whose validity stands for that of the whole space: extremes alone, then combined.

        Every box has its share of ``MOST_PROBES`` combinations: all it has, or as many of those of every two axes.
        """
        yield from self.alone()
        share = max(1, MOST_PROBES // len(self.boxes))
        for box in self.boxes:
            if len(box) > 1:
                ends = _extremes(box)
                few = _size(box, ends) <= share
                yield from islice(_walk(box, ends) if few else _pairs(box, ends), share)

    def covering(self, points: Iterable[Point]) -> Iterator[Point]:
        """Of points those with a value, or two values together, that none before them had.

        What lies between the ends of an interval is as good as one value.
        """
        inside = {
            (path, as_text(value))
            for box in self.boxes
            for path, axis in box.items()
            if isinstance(axis, Interval) and axis.steps is not None
            for value in axis.values()[1:-1]
        }
        seen: set[object] = set()
        for point in points:
            marks = [(path, as_text(value)) for path, value in point.items()]
            marks = [(path, "inside") if (path, text) in inside else (path, text) for path, text in marks]
            shown_here = {frozenset(point), *marks, *combinations(marks, 2)}
            if not shown_here <= seen:
                seen |= shown_here
                yield point


def _in_order(box: Box) -> Box:
    """The axes with those first that others depend on, else as they are."""
    left, done = dict(box), {}
    while left:
        ready = [path for path, axis in left.items() if not any(c.path in left for c in axis.when)]
        if not ready:
            raise UserError(
                f"the conditions of a space must not go in a circle, and those of {', '.join(left)} do; remove a 'when'"
            )
        first = ready[0]
        done[first] = left.pop(first)
    return done


def _settled(box: Box, value: Callable[[str, Axis], Any]) -> Point:
    """The point of a box at which every axis that applies has this value."""
    point: Point = {}
    for path, axis in box.items():
        if axis.applies(point):
            point[path] = value(path, axis)
    return point


def _walk(box: Box, values: Mapping[str, list[Any]]) -> Iterator[Point]:
    """All combinations, the last axis fastest."""
    if not any(axis.when for axis in box.values()):
        for chosen in product(*(values[path] for path in box)):
            yield dict(zip(box, chosen, strict=True))
        return
    paths = list(box)

    def beyond(point: Point, index: int) -> Iterator[Point]:
        if index == len(paths):
            yield point
        elif not box[paths[index]].applies(point):
            yield from beyond(point, index + 1)
        else:
            for value in values[paths[index]]:
                yield from beyond({**point, paths[index]: value}, index + 1)

    yield from beyond({}, 0)


def _size(box: Box, values: Mapping[str, list[Any]]) -> int:
    """How many points ``_walk`` visits, without the walk.

    A state is what the conditions to come must know of the values so far; each stands for a number of points. Values
    that all conditions take alike are one.
    """
    last = {c.path: i for i, axis in enumerate(box.values()) for c in axis.when}
    states: dict[tuple[tuple[str, str], ...], int] = {(): 1}
    for i, (path, axis) in enumerate(box.items()):
        kinds = _kinds(box, path, values[path]) if path in last else {None: len(values[path])}
        after: dict[tuple[tuple[str, str], ...], int] = {}
        for state, points in states.items():
            known = dict(state)
            applies = all(known[c.path] in c.allowed if c.path in known else c.absent for c in axis.when)
            kept = tuple(item for item in state if last[item[0]] > i)
            for text, count in (kinds if applies else {None: 1}).items():
                told = kept if text is None else (*kept, (path, text))
                after[told] = after.get(told, 0) + points * count
        states = after
        if len(states) > MOST_CASES:
            raise UserError(
                f"the conditions of a space may go {MOST_CASES:,} ways at most, and these go more; use fewer, or "
                "several boxes"
            )
    return sum(states.values())


def _kinds(box: Box, path: str, values: list[Any]) -> dict[str | None, int]:
    """How many values the conditions on an axis take alike, by the text of the first of them."""
    conditions = [c for axis in box.values() for c in axis.when if c.path == path]
    first: dict[tuple[bool, ...], str] = {}
    counts: dict[str | None, int] = {}
    for text in map(as_text, values):
        one = first.setdefault(tuple(text in c.allowed for c in conditions), text)
        counts[one] = counts.get(one, 0) + 1
    return counts


def _extremes(box: Box) -> dict[str, list[Any]]:
    return {path: axis.extremes() for path, axis in box.items()}


def _alone(box: Box, ends: Mapping[str, list[Any]]) -> Iterator[Point]:
    """The point of first values, then those that differ from it along one axis."""
    first = _with(box, ends, {})
    yield first
    for path, values in ends.items():
        for value in values[1 if path in first else 0 :]:
            yield _with(box, ends, {path: value})


def _pairs(box: Box, ends: Mapping[str, list[Any]]) -> Iterator[Point]:
    """Points that differ from the first one along two axes."""
    first = _with(box, ends, {})
    for one, other in combinations(ends, 2):
        chosen = (ends[path][1 if path in first else 0 :] for path in (one, other))
        for value, beside in product(*chosen):
            point = _with(box, ends, {one: value, other: beside})
            if one in point and other in point:
                yield point


def _with(box: Box, ends: Mapping[str, list[Any]], wanted: Mapping[str, Any]) -> Point:
    """The point with these values, others at their first, but for those on which it depends that these apply."""
    chosen = {path: values[0] for path, values in ends.items()} | dict(wanted)
    waiting = list(wanted)
    while waiting:
        for condition in box[waiting.pop()].when:
            path = condition.path
            if path not in box:  # left out of it
                continue
            if path not in wanted and as_text(chosen[path]) not in condition.allowed:
                allowed = (v for v in box[path].values() if as_text(v) in condition.allowed)
                chosen[path] = next(allowed, chosen[path])
            waiting.append(path)
    return _settled(box, lambda path, axis: chosen[path])
