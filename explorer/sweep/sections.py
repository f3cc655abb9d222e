"""The sections of a sweep that name trials: which members are in play, and how a point is laid over them."""

from __future__ import annotations

import types
from collections.abc import Mapping, Set
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from explorer.errors import UserError, brief
from explorer.sweep.axes import Axis, Listed, Point
from explorer.sweep.members import member_class
from explorer.sweep.messages import has_no
from explorer.sweep.space import Space
from trainables.config import FAMILIES, SECTIONS, TrainingConfig
from trainables.family import Config, Member

__all__ = ["check_fields", "lay_over", "members_in_play", "own_fields", "variable_paths", "words_of"]


def lay_over(base: Mapping[str, Any], point: Point) -> dict[str, dict[str, Any]]:
    """The sections of one trial: a point's values over those of the file.

    A field belongs to its member: at a point that names another member, fields which that one does not have stay
    behind, those of the file and those of other axes alike. What an option of a whole section says must fit its own
    member.
    """
    sections: dict[str, dict[str, Any]] = {name: dict(base.get(name, {})) for name in SECTIONS}
    strict: dict[str, set[str]] = {name: set() for name in SECTIONS}
    for path, value in point.items():
        section, _, name = path.partition(".")
        if name:
            sections[section][name] = value
        else:
            sections[section] |= value
            strict[section] = set(value)
    for section, family in FAMILIES.items():
        fields = sections[section]
        kind = member_class(family, fields.get("name", family.default), section)
        sections[section] = {
            key: value
            for key, value in fields.items()
            if key == "name" or key in kind.keys() or key in strict[section]  # noqa: SIM118
        }
    return sections


def members_in_play(base: Mapping[str, Any], space: Space, section: str) -> list[type[Member]]:
    """Every member that some trial of the sweep may have in a section."""
    family = FAMILIES[section]
    given = base.get(section, {}).get("name")
    names: list[object] = []
    for box in space.boxes:
        options = _options(box.get(section))
        named = [option["name"] for option in options if "name" in option]
        axis = box.get(f"{section}.name")
        names += named if axis is None else axis.values()
        deciding = axis or box.get(section)
        if deciding is None or deciding.when or (axis is None and len(named) < len(options)):
            names.append(given or family.default)
    return list(dict.fromkeys(member_class(family, name, section) for name in names))


def _options(axis: Axis | None) -> list[Mapping[str, Any]]:
    return list(axis.options) if isinstance(axis, Listed) else []


def own_fields(base: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What the file's sections say of the members they name themselves, whatever the space lays over them."""
    return {section: fields for section, fields in lay_over(base, {}).items() if section in FAMILIES}


def check_fields(base: Mapping[str, Any], space: Space) -> None:
    """Every field of the file, and of the space, is one of a member in play."""
    for section in FAMILIES:
        kinds = members_in_play(base, space, section)
        if "name" in base.get(section, {}):
            member_class(FAMILIES[section], base[section]["name"], section)
        known = list(dict.fromkeys(key for kind in kinds for key in kind.keys()))  # noqa: SIM118
        names = " or ".join(repr(kind.name) for kind in kinds)
        for key in base.get(section, {}):
            path = f"{section}.{key}"
            if key != "name" and key not in known:
                raise UserError(f"unknown key '{brief(path)}': {has_no(f'{section} {names}', key, known)}")
        for path in space.paths():
            head, _, key = path.partition(".")
            if head == section and key and key != "name" and key not in known:
                raise UserError(
                    f"space.{path} changes nothing: {has_no(f'{section} {names}', key, known)}; "
                    "remove the axis or choose a member that reads it"
                )


def variable_paths(mentioned: Set[str] = frozenset()) -> dict[str, bool]:
    """Every dotted path a space may vary → whether it takes whole numbers. Whole sections may vary too.

    Members of installed packages are imported only if they are ``mentioned``.
    """
    paths: dict[str, bool] = {}
    for section, family in FAMILIES.items():
        paths[f"{section}.name"] = False
        named = [member_class(family, name, section) for name in family if name in mentioned]
        kinds: list[Any] = [*family.loaded().values(), *named]
        for kind in kinds:
            for key, whole in _fields(kind):
                paths[f"{section}.{key}"] = paths.get(f"{section}.{key}", False) or whole
            paths |= {f"{section}.{key}": False for key in kind.shorthands}
        paths[section] = False
    paths |= {f"training.{key}": whole for key, whole in _fields(TrainingConfig)}
    paths["training"] = False
    return paths


def words_of(value: Any) -> set[str]:
    """Every text inside plain data."""
    if isinstance(value, str):
        return {value}
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return {word for one in inner for word in words_of(one)}


@cache
def _fields(kind: type[Config]) -> tuple[tuple[str, bool], ...]:
    """Names of fields, and whether they take whole numbers; hints are read as text, which takes a while."""
    hints = get_type_hints(kind)
    return tuple((field.name, _is_whole(hints[field.name])) for field in kind.declared())


def _is_whole(hint: Any) -> bool:
    if get_origin(hint) in (Union, types.UnionType):
        return any(_is_whole(part) for part in get_args(hint))
    return hint is int
