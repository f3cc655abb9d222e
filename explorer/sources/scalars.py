"""Texts that others wrote as values: numbers and truths where they spell one, else the text itself."""

from __future__ import annotations

import math
import re
from functools import lru_cache

from explorer.store.foreign import clean
from explorer.store.schema import Scalar

__all__ = ["as_metric", "as_scalar"]

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")
_TRUTHS = {"True": True, "true": True, "False": False, "false": False}
_SHORT = 64
"""Characters of a text that may be a number, or is worth remembering."""


def as_scalar(text: str) -> Scalar:
    """``"3"`` → 3, ``"1e-3"`` → 0.001, ``"True"`` → True; nothing of an empty text, and any other text as it is."""
    return _scalar(text.strip()) if len(text) <= _SHORT else clean(text)


@lru_cache(maxsize=2**16)
def _scalar(text: str) -> Scalar:
    if text in ("", "None", "null"):
        return None
    if text in _TRUTHS:
        return _TRUTHS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text) and math.isfinite(value := float(text)):
        return value
    return clean(text)


def as_metric(text: str) -> float | None:
    """A finite number, None of anything else."""
    value = as_scalar(text)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
