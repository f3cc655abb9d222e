"""From a validation error to one sentence that says what to change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

__all__ = ["MOVED", "has_no", "nearest", "sentence"]

MOVED = {
    "training.warmup": "objective.warmup",
}
"""Keys of earlier versions, and where they are now."""


def nearest(name: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` if something known is near, else the list of what is known."""
    names = list(known)
    close = get_close_matches(name, names, n=1, cutoff=0.5)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; it can be {', '.join(names)}" if names else ""


def has_no(owner: str, key: str, known: Sequence[str]) -> str:
    """``model 'mlp_gan' has no 'couplings', only generator, critic``, and the nearest of these."""
    if not known:
        return f"{owner} has no '{key}', and no fields at all"
    close = get_close_matches(key, known, n=1, cutoff=0.5)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    return f"{owner} has no '{key}', only {', '.join(known)}{hint}"


def sentence(error: ValidationError, known: Sequence[str], where: str = "") -> str:
    """The first error of a validation as a sentence.

    ``known`` are the fields there are, ``where`` the section they belong to ('' for the whole file).
    """
    first = error.errors(include_url=False)[0]
    parts = [str(part) for part in first["loc"] if isinstance(part, int) or _is_name(part)]
    path = ".".join([where, *parts] if where else parts)
    kind, value = first["type"], first.get("input")
    if kind in ("unexpected_keyword_argument", "extra_forbidden"):
        if path in MOVED:
            return f"unknown key '{path}': it is '{MOVED[path]}' now"
        inside = ".".join([where, *parts[:-1]] if where else parts[:-1])
        owner = f"section '{inside}'" if inside else "a sweep"
        return f"unknown key '{path}': {has_no(owner, parts[-1], known)}"
    if kind == "literal_error":
        names = re.findall(r"'([^']*)'", str(first["ctx"]["expected"]))
        return f"'{path}' cannot be {value!r}{nearest(str(value), names)}"
    if kind == "value_error":
        message = str(first["ctx"]["error"])
        return message if not path or message.startswith(path) else f"{path}: {message}"
    if kind == "missing":
        return f"'{path}' must be given"
    return f"'{path}' {_expected(kind, str(first['msg']))}, got {value!r}"


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
