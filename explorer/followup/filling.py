"""The sweep file that fills a stretch of a front: what was tried at both sides of it, and what lies between."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import yaml

from explorer.errors import UserError, brief, shown
from explorer.followup.between import Chain, chain_of, is_number
from explorer.followup.stretch import FrontLine, front_line
from explorer.results.catalogue import BASE, STAGE
from explorer.results.columns import Columns
from explorer.results.naming import number
from explorer.results.table import Scalar, TrialTable
from explorer.store.schema import PLAIN, At

__all__ = ["MOST_POINTS", "fill", "follow_up_name", "gap_to_fill"]

MOST_POINTS = 200
BESIDE = 2
"""Configurations of the front at either side of a stretch whose words are tried in it."""
TRIES = 16
"""The widest gaps that are looked into for something to try, before the reader has named a stretch."""
LONGEST = 256 * 1024
"""Characters of a sweep file."""
_Kind = tuple[tuple[tuple[str, str], ...], tuple[str, ...]]
_NO_AXES = ("seed", BASE, STAGE)
_LEFT_OUT = ("name", "description", "space", "search", "stopping")
"""Keys of the first sweep that are not those of the second; trials of a chosen stretch are not ended early."""


def fill(
    results: Columns | TrialTable,
    document: str | None,
    low: float | None = None,
    high: float | None = None,
    along: str = "recall",
    points: int = 8,
    at: At = PLAIN,
) -> str:
    """The YAML of a sweep that fills the front of ``results`` where the metric ``along`` lies in [low, high].

    ``document`` is the sweep file of the first one, which gives dataset, model, training, seeds and readings. Words
    that occur on the front beside the stretch are kept (an objective, a constraint); for each of their combinations
    numbers are interpolated along its own best configurations, λ and wide ones by their logarithms, such that the
    metric should go through the stretch in even steps. Without ends it is the widest gap of the front that has
    anything to try in it. O(N log N).
    """
    columns = results if isinstance(results, Columns) else Columns(results)
    filling = _Filling(columns, _loaded(document, columns.table.sweep), front_line(columns, along, at))
    if not 1 <= points <= MOST_POINTS:
        raise UserError(f"a follow-up has from 1 to {MOST_POINTS} points, got {points}")
    low, high = filling.ends(low, high, points)
    boxes = filling.boxes(low, high, points)
    if not boxes:
        raise UserError(
            f"nothing numeric lies between the configurations at both sides of {along} {number(low)} … {number(high)}: "
            "they differ in words alone; choose a wider stretch"
        )
    return _written(filling.raw, columns, boxes, _described(columns, filling.line, low, high))


def gap_to_fill(
    columns: Columns, document: str | None, along: str, points: int = 8, at: At = PLAIN
) -> tuple[float, float] | None:
    """The ends that :func:`fill` takes when it is given none; None of a front without two values of the metric."""
    filling = _Filling(columns, _loaded(document, columns.table.sweep), front_line(columns, along, at))
    return filling.gap(points)


def follow_up_name(name: str) -> str:
    """``demo`` → ``demo-fill``, and that → ``demo-fill-2``; letters, digits, dots and dashes, at most 100 of them."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).lstrip("._-") or "sweep"
    again = re.fullmatch(r"(.*-fill)(?:-(\d{1,4}))?", plain)
    if again is None:
        return f"{plain[:90]}-fill"
    return f"{again[1][:90]}-{int(again[2] or 1) + 1}"


def _loaded(document: str | None, sweep: str) -> dict[str, Any]:
    told = f"the stored sweep file of '{brief(sweep)}' must be there and hold keys such as dataset and space"
    if document is None or len(document) > LONGEST:
        raise UserError(f"{told}; launch the sweep again, which stores it")
    try:
        raw = yaml.safe_load(document)
    except (yaml.YAMLError, ValueError, RecursionError):
        raise UserError(f"{told}, and it is no YAML; launch the sweep again, which stores it") from None
    if not isinstance(raw, dict) or not all(isinstance(key, str) for key in raw):
        raise UserError(f"{told}; launch the sweep again, which stores it")
    return raw


class _Filling:
    """What lies between the configurations along the front of a sweep, ``line``, whose file says ``raw``."""

    def __init__(self, columns: Columns, raw: dict[str, Any], line: FrontLine) -> None:
        self._columns = columns
        self.raw = raw
        self.line = line
        self._paths = _paths(columns, raw)
        self._front = {i: self._point(i) for i, on in enumerate(line.front) if on}
        self._kinds = {i: _kind(own) for i, own in self._front.items()}
        self._chain_of: dict[_Kind, Chain | None] = {}
        self._tried = set(zip(*(columns.param(path) for path in self._paths), strict=True))

    def ends(self, low: float | None, high: float | None, points: int) -> tuple[float, float]:
        """The stretch asked for; what is missing of it is of the gap to fill."""
        along = self.line.along
        if not self.line.values:
            names = ", ".join(goal.metric for goal in self._columns.table.goals[:3])
            raise UserError(
                f"a stretch lies along a metric of finished trials, such as {names}, got {shown(along)}"
            )
        if low is None or high is None:
            gap = self.gap(points)
            if gap is None:
                raise UserError(
                    f"the front has no gap along {along}: it needs two configurations that differ there; "
                    "give both ends of the stretch"
                )
            low, high = gap[0] if low is None else low, gap[1] if high is None else high
        if not low < high:
            raise UserError(
                f"a stretch goes from a smaller to a larger {along}, got {number(low)} to {number(high)}"
            )
        return low, high

    def gap(self, points: int) -> tuple[float, float] | None:
        """The widest gap of the front in which something can be tried, else the widest of all. O(TRIES · front)."""
        gaps = self.line.gaps()
        return next((gap for gap in gaps[:TRIES] if self.boxes(*gap, points)), gaps[0] if gaps else None)

    def boxes(self, low: float, high: float, points: int) -> list[dict[str, list[Any]]]:
        """The space between two values of the metric, without what was tried before."""
        chains = self._chains(low, high)
        between = [
            [
                point
                for point in chain.between(wanted)
                if tuple(map(point.get, self._paths)) not in self._tried
            ]
            for chain, wanted in zip(chains, _targets(low, high, points, len(chains)), strict=True)
        ]
        return [box for some in between for box in _boxes(some)]

    def _point(self, i: int) -> dict[str, Scalar]:
        params = self._columns.trials[self.line.rows[i]].params
        return {path: params[path] for path in self._paths if path in params}

    def _chains(self, low: float, high: float) -> list[Chain]:
        """A chain for every combination of words on the front beside the stretch and in it, nearest first."""
        values, front, kinds = self.line.values, self._front, self._kinds
        below = [i for i in front if values[i] <= low][-BESIDE:]
        above = [i for i in front if values[i] >= high][:BESIDE]
        inside = [i for i in front if low < values[i] < high]
        near = sorted([*below, *inside, *above], key=lambda i: abs(values[i] - (low + high) / 2))
        found = (self._chain(kind) for kind in dict.fromkeys(kinds[i] for i in near))
        return [chain for chain in found if chain is not None]

    def _chain(self, kind: _Kind) -> Chain | None:
        """Of one kind of point: those on the front, or all where these are one; None if their numbers are the same."""
        if kind not in self._chain_of:
            own = {i: one for i, one in self._front.items() if self._kinds[i] == kind}
            if len({_numbers(one) for one in own.values()}) < 2:
                # One of its configurations is on the front: the others tell at least which way numbers lead.
                own = self._of_kind[kind]
            differ = len({_numbers(one) for one in own.values()}) > 1
            values = [self.line.values[i] for i in own]
            self._chain_of[kind] = chain_of(list(own.values()), values) if differ else None
        return self._chain_of[kind]

    @cached_property
    def _of_kind(self) -> dict[_Kind, dict[int, dict[str, Scalar]]]:
        """All configurations, on the front or not. O(N)."""
        found: dict[_Kind, dict[int, dict[str, Scalar]]] = {}
        for i in range(len(self.line.values)):
            one = self._point(i)
            found.setdefault(_kind(one), {})[i] = one
        return found


def _paths(columns: Columns, raw: Mapping[str, Any]) -> list[str]:
    """Parameters that a follow-up sets: those that vary, and all of a section that was varied as a whole."""
    boxes = raw.get("space")
    boxes = boxes if isinstance(boxes, list) else [boxes]
    whole = {str(path) for box in boxes if isinstance(box, Mapping) for path in box if "." not in str(path)}
    named = {str(path) for box in boxes if isinstance(box, Mapping) for path in box if "." in str(path)}
    wanted = {*columns.varying, *named, *(p for p in columns.paths if p.partition(".")[0] in whole)}
    return sorted(path for path in wanted if path not in _NO_AXES and path in columns.paths)


def _kind(point: Mapping[str, Scalar]) -> _Kind:
    """Words of a point, and which numbers it has: points of one kind lie in one box."""
    words = ((path, repr(value)) for path, value in sorted(point.items()) if not is_number(value))
    return tuple(words), tuple(path for path, value in point.items() if is_number(value))


def _numbers(point: Mapping[str, Scalar]) -> tuple[Scalar, ...]:
    return tuple(value for value in point.values() if is_number(value))


def _targets(low: float, high: float, points: int, chains: int) -> list[list[float]]:
    """Values of the metric inside the stretch, as many for each chain as there are points to share."""
    shares = [points // chains + (i < points % chains) for i in range(chains)]
    return [[low + (high - low) * (i + 1) / (share + 1) for i in range(share)] for share in shares]


def _boxes(points: Sequence[Mapping[str, Scalar]]) -> list[dict[str, list[Any]]]:
    """One box where one path varies among points, else a box per point: numbers that go together stay together."""
    if not points:
        return []
    varying = [path for path in points[0] if len({point[path] for point in points}) > 1]
    if len(varying) > 1:
        return [{path: [_plain(value)] for path, value in point.items()} for point in points]
    box: dict[str, list[Any]] = {path: [_plain(value)] for path, value in points[0].items()}
    return [box | {path: [point[path] for point in points] for path in varying}]


def _plain(value: Scalar) -> Any:
    """A parameter as the file wrote it: a list travels as JSON text."""
    if isinstance(value, str) and value.startswith("["):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _described(columns: Columns, line: FrontLine, low: float, high: float) -> str:
    title = columns.table.title_in_text(line.along)
    return (
        f"Fills the front of {columns.table.sweep} where {title} lies between {number(low)} and {number(high)}: "
        "numbers between those of its best configurations there."
    )


def _written(
    raw: Mapping[str, Any], columns: Columns, boxes: Sequence[Mapping[str, Any]], description: str
) -> str:
    name = raw.get("name")
    goals = {goal.metric: goal.direction for goal in columns.table.goals}
    kept = {key: value for key, value in raw.items() if key not in _LEFT_OUT and value not in ({}, [], None)}
    document: dict[str, Any] = {
        "name": follow_up_name(name if isinstance(name, str) else columns.table.sweep),
        "description": "".join(c if c.isprintable() else " " for c in brief(description, 1000)),
        **kept,
        "space": [dict(box) for box in boxes] if len(boxes) > 1 else dict(boxes[0]),
        "search": {"name": "grid", "objectives": goals},
    }
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


class _Dumper(yaml.SafeDumper):
    """Short lists in one line: people read and change the file. Words that a sweep file reads as numbers are quoted."""

    def represent_sequence(self, tag: str, sequence: Any, flow_style: bool | None = None) -> Any:
        """Lists of numbers and words in one line."""
        plain = all(isinstance(item, str | int | float | bool) or item is None for item in sequence)
        return super().represent_sequence(tag, sequence, flow_style=plain or flow_style)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """A text, in quotes where a sweep file would read a number: other YAML has none like ``1e-3``."""
    try:
        float(text.replace("_", ""))
    except ValueError:
        return dumper.represent_str(text)
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="'")


_Dumper.add_representer(str, _text)
