"""What the reader has set, as one value that a URL can carry."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from app.brush import Brush
from app.filters import Bound, Filter, OneOf, Span
from explorer.goals import Goal, parse_goals
from explorer.results.table import Status
from explorer.store.schema import budget_text

__all__ = ["MOST_PINS", "NAMES", "SWITCHES", "Space", "View", "from_query", "to_query"]

Space = Literal["plane", "space", "parallel"]
"""How objectives are drawn: two in a plane, three in space, any number side by side."""

NAMES = ("sweep", "x", "y", "z", "colour", "size", "symbol", "panel", "method", "trial", "cost", "along")
SWITCHES = ("dominated", "paths", "seeds", "attained", "iso", "times")
NUMBERS = {
    "preference": (0.0, 1.0),
    "limit": (0.0, math.inf),
    "replay": (1.0, math.inf),
    "points": (1.0, math.inf),
}
"""Single numbers, and between what they lie."""
WHOLE = ("replay", "points")
MOST_PINS = 6
"""Trials that can be compared."""


@dataclass(frozen=True)
class View:
    """The reader's own wishes. ``None`` leaves the choice to the page, which follows what the sweep has so far.

    Attributes:
        cost, limit: which cost the front at equal cost counts, and the most of it.
        replay: the front after the first so many trials; ``times``: its growth over time, not over trials.
        along, stretch, points: the gap to fill: along which metric, its ends, how many configurations there.
    """

    sweep: str | None = None
    x: str | None = None
    y: str | None = None
    z: str | None = None
    colour: str | None = None
    size: str | None = None
    symbol: str | None = None
    panel: str | None = None
    space: Space = "plane"
    budget: float = 1.0
    method: str | None = None
    dominated: bool = True
    paths: bool = False
    seeds: bool = False
    attained: bool = False
    iso: bool = False
    preference: float | None = None
    cost: str | None = None
    limit: float | None = None
    replay: int | None = None
    times: bool = False
    along: str | None = None
    stretch: tuple[float, float] | None = None
    points: int | None = None
    trial: str | None = None
    pins: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    goals: tuple[Goal, ...] = ()
    brush: Brush | None = None
    statuses: frozenset[str] = frozenset({"finished"})
    filters: tuple[Filter, ...] = ()


def from_query(query: Mapping[str, Sequence[str]]) -> tuple[View, list[str]]:
    """The view of a URL, and one sentence for every value that could not be read."""
    view, complaints = View(), []
    for key in NAMES:
        if query.get(key):
            view = _with(view, key, query[key][-1])
    if query.get("k"):
        budget = _number(query["k"][-1])
        if budget is None or budget < 1:
            complaints.append(f"budget K must be a number ≥ 1, got '{query['k'][-1]}'; showing K = 1.")
        else:
            view = replace(view, budget=budget)
    for key in SWITCHES:
        if query.get(key) and query[key][-1] in ("0", "1"):
            view = _with(view, key, query[key][-1] == "1")
        elif query.get(key):
            complaints.append(f"'{key}' must be 0 or 1, got '{query[key][-1]}'.")
    if query.get("status"):
        known = frozenset(query["status"]) & frozenset(get_args(Status))
        if known:
            view = replace(view, statuses=known)
        else:
            complaints.append(
                f"status must be one of {', '.join(get_args(Status))}, got '{query['status'][-1]}'."
            )
    view, more = _lists(view, query)
    complaints += more
    filters: list[Filter] = []
    for key, values in query.items():
        kind, _, name = key.partition(".")
        if kind in ("in", "range", "bound") and name and values:
            found = _filter(kind, name, values)
            filters += [found] if found else []
            complaints += [] if found else [f"filter on '{name}' could not be read: '{values[-1]}'."]
    return replace(view, filters=tuple(filters)), complaints


def to_query(view: View) -> dict[str, str | list[str]]:
    """The URL of a view; what the reader has not set is left out. Inverse of ``from_query``."""
    plain = View()
    query: dict[str, str | list[str]] = {}
    for key in NAMES:
        value = getattr(view, key)
        if value is not None and value != getattr(plain, key):
            query[key] = value
    if view.space != plain.space:
        query["space"] = view.space
    for key in NUMBERS:
        number = getattr(view, key)
        if number is not None:
            query[key] = repr(number)
    if view.stretch is not None:
        query["stretch"] = "..".join(map(repr, view.stretch))
    for key, several in (("pin", view.pins), ("beside", view.beside)):
        if several:
            query[key] = list(several)
    if view.goals:
        query["goal"] = [f"{goal.metric}:{goal.direction}" for goal in view.goals]
    if view.brush is not None:
        query["brush"] = view.brush.text()
    if view.budget != 1:
        query["k"] = budget_text(view.budget)
    for key in SWITCHES:
        if getattr(view, key) != getattr(plain, key):
            query[key] = "1" if getattr(view, key) else "0"
    if view.statuses != plain.statuses:
        query["status"] = sorted(view.statuses)
    for f in view.filters:
        match f:
            case OneOf(path, values):
                query[f"in.{path}"] = sorted(values)
            case Span(path, low, high):
                query[f"range.{path}"] = "..".join("" if end is None else repr(end) for end in (low, high))
            case Bound(metric, limit):
                query[f"bound.{metric}"] = repr(limit)
    return query


def _lists(view: View, query: Mapping[str, Sequence[str]]) -> tuple[View, list[str]]:
    """What is neither a name nor a switch nor a filter: how objectives are drawn, which, and whom the reader marked."""
    complaints = []
    if query.get("space"):
        space = query["space"][-1]
        if space in get_args(Space):
            view = _with(view, "space", space)
        else:
            complaints.append(f"'space' must be one of {', '.join(get_args(Space))}, got '{space}'.")
    for key, ends in NUMBERS.items():
        if query.get(key):
            number = _number(query[key][-1])
            if (
                number is not None
                and ends[0] <= number <= ends[1]
                and (key not in WHOLE or number.is_integer())
            ):
                view = _with(view, key, int(number) if key in WHOLE else number)
            else:
                complaints.append(f"'{key}' must be {_told(key, *ends)}, got '{query[key][-1]}'.")
    if query.get("stretch"):
        span = _filter("range", "stretch", query["stretch"])
        if isinstance(span, Span) and span.low is not None and span.high is not None and span.low < span.high:
            view = replace(view, stretch=(span.low, span.high))
        else:
            complaints.append(f"'stretch' must be two growing numbers, a..b, got '{query['stretch'][-1]}'.")
    if query.get("pin"):
        pins = tuple(dict.fromkeys(pin for pin in query["pin"] if pin))
        view = replace(view, pins=pins[:MOST_PINS])
        if len(pins) > MOST_PINS:
            complaints.append(f"at most {MOST_PINS} trials can be compared, got {len(pins)}.")
    if query.get("beside"):
        view = replace(view, beside=tuple(dict.fromkeys(name for name in query["beside"] if name)))
    if query.get("goal"):
        told = dict(goal.rpartition(":")[::2] for goal in query["goal"])
        try:
            view = replace(view, goals=parse_goals(told))
        except ValueError as error:
            complaints.append(f"objectives could not be read: {error}.")
    if query.get("brush"):
        brush = Brush.parse(query["brush"][-1])
        view = replace(view, brush=brush)
        complaints += [] if brush else [f"the brush could not be read: '{query['brush'][-1]}'."]
    return view, complaints


def _filter(kind: str, name: str, values: Sequence[str]) -> Filter | None:
    if kind == "in":
        return OneOf(name, frozenset(values))
    if kind == "bound":
        limit = _number(values[-1])
        return None if limit is None else Bound(name, limit)
    low, dots, high = values[-1].partition("..")
    ends = _number(low), _number(high)
    unread = [end for raw, end in zip((low, high), ends, strict=True) if raw and end is None]
    turned = ends[0] is not None and ends[1] is not None and ends[0] > ends[1]
    return None if unread or turned or not dots or ends == (None, None) else Span(name, *ends)


def _told(key: str, low: float, high: float) -> str:
    kind = "a whole number" if key in WHOLE else "a number"
    return f"{kind} from {low:g} to {high:g}" if math.isfinite(high) else f"{kind} ≥ {low:g}"


def _with(view: View, field: str, value: str | bool | float) -> View:
    """The view with one field changed, its name known only at run time."""
    changes: dict[str, Any] = {field: value}
    return replace(view, **changes)


def _number(raw: str) -> float | None:
    try:
        value = float(raw)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
