"""From a validation error to one sentence that says what to change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from explorer.errors import brief, shown
from trainables.nearest import listed, nearest

__all__ = ["MOVED", "has_no", "sentence"]

MOVED = {
    "training.warmup": "objective.warmup",
}
"""Keys of earlier versions, and where they are now."""


def has_no(owner: str, key: str, known: Sequence[str]) -> str:
    """``model 'mlp_gan' has no 'couplings', only generator, critic``, and the nearest of these."""
    if not known:
        return f"{owner} has no {shown(key)}, and no fields at all"
    return f"{owner} has no {shown(key)}, only {listed(known)}{nearest(key, known, otherwise='')}"


def sentence(error: ValidationError, known: Sequence[str], where: str = "") -> str:
    """The first error of a validation as a sentence.

    ``known`` are the fields there are, ``where`` the section they belong to ('' for the whole file).
    """
    first = error.errors(include_url=False)[0]
    parts = [str(part) for part in first["loc"] if isinstance(part, int) or _is_name(part)]
    path = ".".join([where, *parts] if where else parts)
    kind, value = first["type"], first.get("input")
    if kind in ("unexpected_keyword_argument", "extra_forbidden"):
        *around, key = map(str, first["loc"])  # the key may be any text
        inside = ".".join([where, *around] if where else around)
        path = f"{inside}.{key}" if inside else key
        if path in MOVED:
            return f"unknown key '{path}': it is '{MOVED[path]}' now"
        owner = f"section '{inside}'" if inside else "a sweep"
        return f"unknown key '{brief(path)}': {has_no(owner, key, known)}"
    if kind == "literal_error":
        names = re.findall(r"'([^']*)'", str(first["ctx"]["expected"]))
        return f"'{brief(path)}' cannot be {shown(value)}; it can be {listed(names)}"
    if kind == "value_error":
        message = str(first["ctx"]["error"])
        return message if not path or message.startswith(path) else f"{path}: {message}"
    if kind == "missing":
        return f"'{path}' must be given"
    return f"'{brief(path)}' {_expected(kind, str(first['msg']))}, got {shown(value)}"


def _is_name(part: str) -> bool:
    """Whether a part of an error's place is one of ours: pydantic puts the branches of a union there too."""
    return part.isidentifier() and part not in ("int", "float", "str", "bool", "list", "dict", "tuple")


def _expected(kind: str, message: str) -> str:
    plain: dict[str, Any] = {
        "int_parsing": "must be a whole number",
        "int_type": "must be a whole number",
        "int_from_float": "must be a whole number",
        "float_parsing": "must be a number",
        "float_type": "must be a number",
        "dataclass_type": "must be a section with keys",
        "model_type": "must be a section with keys",
        "dict_type": "must be a section with keys",
        "mapping_type": "must be a section with keys",
        "tuple_type": "must be a list",
        "list_type": "must be a list",
        "string_type": "must be text",
    }
    return str(plain.get(kind, message[:1].lower() + message[1:]))
