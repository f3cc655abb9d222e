"""What a search learns from before it begins: finished trials of other sweeps that lie in its space."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Any

from explorer.errors import UserError
from explorer.launch.older_layout import from_param
from explorer.launch.places import memo_of, tracking_uri
from explorer.results.store import ResultStore
from explorer.search.points.memo import Tried, read_notes
from explorer.store.addresses import shown_address
from explorer.sweep.axes import Axis, Listed, Point, as_text
from explorer.sweep.space import Space
from explorer.sweep.sweep import Sweep
from explorer.words import counted
from trainables.config import FAMILIES
from trainables.nearest import nearest

__all__ = ["earlier_points", "point_of", "warm_sentence"]


def earlier_points(sweep: Sweep) -> list[Tried]:
    """A point for all trials that share its values, with their means; as the memo has them, once it does."""
    names = sweep.search.learns_from()
    if not names:
        return []
    noted = read_notes(memo_of(sweep), dry=True).earlier
    return list(_looked_up(sweep, names)) if noted is None else noted


def warm_sentence(sweep: Sweep, found: int) -> str | None:
    """What a plan says of it."""
    names = sweep.search.learns_from()
    if not names:
        return None
    whose = f"sweep{'s' * (len(names) > 1)} {' and '.join(names)}"
    return (
        f"{counted(found, 'point')} of {whose} to learn from"
        if found
        else f"no point of {whose} lies in the space"
    )


def _looked_up(sweep: Sweep, names: tuple[str, ...]) -> Iterator[Tried]:
    store = ResultStore(tracking_uri(sweep), sweep.tracking.experiment, fresh=True)
    known = [info.name for info in store.sweeps()] if store.exists() else []
    for name in names:
        if name not in known:
            held = nearest(name, known) if known else "; it holds none yet"
            raise UserError(
                f"search.warm_start must name sweeps of {shown_address(store.uri)}, got '{name}'{held}"
            )
    wanted = [goal.metric for goal in sweep.search.goals()] + [b.metric for b in sweep.search.bounds()]
    points: dict[str, Point] = {}
    seen: dict[str, list[Mapping[str, float]]] = {}
    for name in names:
        for trial in store.table(name).finished().trials:
            point = point_of(sweep.space, {path: from_param(value) for path, value in trial.params.items()})
            if point is not None and all(math.isfinite(trial.metrics.get(m, math.nan)) for m in wanted):
                points[text := as_text(point)] = point
                seen.setdefault(text, []).append(trial.metrics)
    for text, point in points.items():
        yield Tried(point, {metric: fmean(one[metric] for one in seen[text]) for metric in wanted})


def point_of(space: Space, params: Mapping[str, Any]) -> Point | None:
    """The point at which a trial of these parameters lies; None if it lies at none. What no axis varies may differ."""
    for box in space.boxes:
        point: Point = {}
        for path, axis in box.items():
            if axis.applies(point):
                found = _value(path, axis, params)
                if found is None:
                    break
                point[path] = found[0]
        else:
            return point
    return None


def _value(path: str, axis: Axis, params: Mapping[str, Any]) -> tuple[Any] | None:
    """The value of the axis that the parameters tell of, by itself; None if they tell of none."""
    if not isinstance(axis, Listed):
        value = params.get(path)
        return None if value is None or axis.spelled(value) is None else (value,)
    for option in axis.options:
        fields = _fields(path, option, params)
        if all(as_text(params.get(field)) == as_text(value) for field, value in fields.items()):
            return (option,)
    return None


def _fields(path: str, option: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """What an option sets, by dotted path: one field, all of a section, or what a shorthand stands for."""
    section, _, name = path.partition(".")
    if not name:
        return {f"{section}.{key}": value for key, value in option.items()}
    family = FAMILIES.get(section)
    kinds = family.loaded() if family else {}
    kind = kinds.get(str(params.get(f"{section}.name")))
    if kind is not None and name in kind.shorthands:
        return {
            f"{section}.{key}": value
            for key, value in kind.shorthands[name].get(option, {path: option}).items()
        }
    return {path: option}
