"""Texts that others wrote as values: numbers and truths where they spell one, else the text itself."""

from __future__ import annotations

import math
import re
from functools import lru_cache

from explorer.store.foreign import clean
from explorer.store.schema import Scalar

__all__ = ["FORMULA", "as_cell", "as_metric", "as_scalar", "from_cell", "unquoted"]

_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")
_TRUTHS = {"True": True, "true": True, "False": False, "false": False}
_SHORT = 64
"""Characters of a text that may be a number, or is worth remembering."""
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a text begins that a spreadsheet would run."""


def as_scalar(text: str) -> Scalar:
    """``"3"`` → 3, ``"1e-3"`` → 0.001, ``"True"`` → True; nothing of an empty text, and any other text as it is."""
    return _scalar(text.strip()) if len(text) <= _SHORT else clean(text)


@lru_cache(maxsize=2**16)
def _scalar(text: str) -> Scalar:
    if text in ("", "None", "null"):
        return None
    if text in _TRUTHS:
        return _TRUTHS[text]
    if _WHOLE.fullmatch(text) and -(2**63) <= int(text) < 2**63:
        return int(text)
    if _DECIMAL.fullmatch(text) and math.isfinite(value := float(text)):
        return value
    return clean(text)


def as_metric(text: str) -> float | None:
    """A finite number, None of anything else."""
    value = as_scalar(text)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def as_cell(value: Scalar) -> Scalar:
    """A cell of a table that no spreadsheet runs, and from which ``from_cell`` gives the value back: some texts are
    quoted.
    """
    return f"'{value}" if isinstance(value, str) and _is_quoted(value) else value


def from_cell(cell: str) -> Scalar:
    """What a cell spells; a text that was quoted is that text, whatever it would spell."""
    text = unquoted(cell)
    return as_scalar(cell) if text == cell else clean(text)


def unquoted(cell: str) -> str:
    """A text without the quote that ``as_cell`` gave it."""
    return cell[1:] if cell[:1] == "'" and _is_quoted(cell[1:]) else cell


def _is_quoted(text: str) -> bool:
    """Whether a text would be run, or read as another one or as no text: ``=A1``, ``007``, ``true``, ``'007``."""
    core = text.lstrip("'")
    return core.startswith(FORMULA) or as_scalar(core) != core
