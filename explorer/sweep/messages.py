"""From a validation error to one sentence that says what to change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

__all__ = ["nearest", "sentence"]


def nearest(name: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` if something known is near, else the list of what is known."""
    names = list(known)
    close = get_close_matches(name, names, n=1, cutoff=0.5)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; it can be {', '.join(names)}" if names else ""


def sentence(error: ValidationError, fields: Mapping[str, Sequence[str]], prefix: str = "") -> str:
    """The first error of a validation as a sentence.

    ``fields`` maps a dotted section ('' for the top) to the field names it knows, for suggestions.
    """
    first = error.errors(include_url=False)[0]
    path = [str(part) for part in first["loc"] if not str(part).startswith("function-")]
    where = ".".join([prefix, *path] if prefix else path)
    kind, value = first["type"], first.get("input")
    if kind in ("unexpected_keyword_argument", "extra_forbidden"):
        section = ".".join([prefix, *path[:-1]] if prefix else path[:-1])
        place = f"section '{section}'" if section else "a sweep"
        return (
            f"unknown key '{where}': {place} has no '{path[-1]}'{nearest(path[-1], fields.get(section, ()))}"
        )
    if kind == "literal_error":
        known = re.findall(r"'([^']*)'", str(first["ctx"]["expected"]))
        return f"'{where}' cannot be {value!r}{nearest(str(value), known)}"
    if kind == "value_error":
        message = str(first["ctx"]["error"])
        return f"{where}: {message}" if where else message
    return f"'{where}' {_expected(kind, str(first['msg']))}, got {value!r}"


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
        "tuple_type": "must be a list",
        "list_type": "must be a list",
        "string_type": "must be text",
    }
    return str(plain.get(kind, message[:1].lower() + message[1:]))
