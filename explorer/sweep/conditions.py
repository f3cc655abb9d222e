"""Where an axis applies: at members that have its field, and where its own ``when`` says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from explorer.errors import UserError, shown
from explorer.sweep.axes import Axis, Condition, Listed, as_text
from explorer.sweep.members import build_config, build_member, member_class
from explorer.sweep.sections import own_fields
from explorer.sweep.space import Space
from trainables.config import FAMILIES, TrainingConfig

__all__ = ["conditioned"]

Box = Mapping[str, Axis]


def conditioned(space: Space, base: Mapping[str, Any]) -> Space:
    """The space with every condition on an axis of the same box; those on the file's own values are settled here.

    ``base``: the sections of the file. An axis of a field that no member of its box has is left out of that box.
    """
    boxes = []
    for index, box in enumerate(space.boxes):
        where = f"space[{index}]" if len(space.boxes) > 1 else "space"
        found: dict[str, Axis] = {}
        for path, axis in box.items():
            own = _of_members(path, box, base)
            if own is not None:
                asked = [_resolved(condition, box, base, f"{where}.{path}") for condition in axis.when]
                found[path] = replace(axis, when=tuple(c for c in (*own, *asked) if c is not None))
        boxes.append(found)
    return Space(tuple(boxes))


def _of_members(path: str, box: Box, base: Mapping[str, Any]) -> tuple[Condition, ...] | None:
    """Where the member of the axis' section has its field; None if it nowhere does."""
    section, _, field = path.partition(".")
    family = FAMILIES.get(section)
    if family is None or not field or field == "name":
        return ()

    def has(name: object) -> bool:
        return field in member_class(family, name, section).keys()  # noqa: SIM118 - a method of ours

    written = has(base.get(section, {}).get("name", family.default))
    named = box.get(f"{section}.name")
    if named is None:
        return () if written else None
    having = {as_text(name): has(name) for name in named.values()}
    allowed = frozenset(text for text, it_has in having.items() if it_has)
    sometimes = bool(named.when)  # elsewhere the file's own member is meant
    if not allowed and not (sometimes and written):
        return None
    if len(allowed) == len(having) and (written or not sometimes):
        return ()
    return (Condition(f"{section}.name", allowed, written),)


def _resolved(condition: Condition, box: Box, base: Mapping[str, Any], where: str) -> Condition | None:
    """A condition on an axis of the box; None where the file's own value settles that it holds."""
    path = condition.path
    section, _, field = path.partition(".")
    own = _written(base, path)
    holds = as_text(own) in condition.allowed
    if path in box:
        options = _options(box[path], f"{where}.when.{path}")
        allowed = frozenset(text for text in map(as_text, options) if text in condition.allowed)
        met = Condition(path, allowed, holds)
    elif section in box:
        options = _options(box[section], f"{where}.when.{path}")
        allowed = frozenset(
            as_text(option) for option in options if as_text(option.get(field, own)) in condition.allowed
        )
        met = Condition(section, allowed, holds)
    elif holds:
        return None
    else:
        raise UserError(
            f"{where} never applies: its 'when' asks for another {path} than {shown(own)}; remove the axis"
        )
    if not allowed and not (holds and box[met.path].when):
        raise UserError(
            f"{where} never applies: no value of {path} in the space is one that its 'when' asks for"
        )
    return met


def _options(axis: Axis, where: str) -> list[Any]:
    if not axis.finite:
        raise UserError(
            f"{where} must be an axis of listed values or of steps, and it is a range; give it steps"
        )
    return list(axis.options) if isinstance(axis, Listed) else axis.values()


def _written(base: Mapping[str, Any], path: str) -> Any:
    """What the file says of a path, or what is meant where it says nothing; None if its member has no such field."""
    section, _, field = path.partition(".")
    fields = own_fields(base).get(section, base.get(section, {}))
    if field in fields:
        return fields[field]  # shorthands too
    family = FAMILIES.get(section)
    made = build_member(family, fields, section) if family else build_config(TrainingConfig, fields, section)
    return made.plain().get(field)
