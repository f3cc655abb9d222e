"""The section ``space`` of a sweep file: mappings of axes, refused in one sentence where they are none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from explorer.errors import UserError, shown
from explorer.sweep.axes import Axis, Condition, Interval, Listed, as_text
from explorer.sweep.messages import MOVED
from explorer.sweep.space import Space
from trainables.nearest import nearest

__all__ = ["parse_space"]

MOST_STEPS = 1000

FARTHEST = 1e100
"""Ends of a range; beyond, their ratio is no number."""

_KEYS = ("choice", "range", "log_range", "steps", "when")


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
    if isinstance(raw, Mapping) and "when" in raw:
        when = _conditions(f"{name}.when", raw["when"], path, whole)
        rest = {key: value for key, value in raw.items() if key != "when"}
        return replace(_axis(path, rest, whole, where), when=when)
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
    unknown = [key for key in raw if key not in _KEYS]
    if unknown:
        raise UserError(f"unknown key {shown(unknown[0])} in {name}{nearest(unknown[0], _KEYS)}")
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


def _conditions(name: str, raw: Any, path: str, whole: Mapping[str, bool]) -> tuple[Condition, ...]:
    """Paths with a value or a list of them; which axes they name is looked at when the whole file is known."""
    if not isinstance(raw, Mapping) or not raw:
        raise UserError(
            f"{name} must map paths to values, such as {{constraint.name: spectral}}; got {shown(raw)}"
        )
    found = []
    for other, wanted in raw.items():
        if other == path:
            raise UserError(f"{name} must name another axis, got {shown(other)}, its own")
        if other not in whole or "." not in other:
            known = [one for one in whole if "." in one]
            raise UserError(f"unknown path {shown(other)} in {name}{nearest(str(other), known)}")
        values = wanted if isinstance(wanted, list) else [wanted]
        if not values:
            raise UserError(f"{name}.{other} is empty: a condition needs at least one value")
        found.append(Condition(str(other), frozenset(map(as_text, values))))
    return tuple(found)


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
