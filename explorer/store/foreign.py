"""What others may have written: text of any bytes, numbers that are none, JSON of any shape; read as far as it goes."""

from __future__ import annotations

import json
import math
from functools import partial
from typing import Any

__all__ = ["as_number", "as_text", "as_whole", "clean", "decoded", "load_json"]

decoded = partial(str, encoding="utf-8", errors="replace")
"""Bytes as text; what is no UTF-8 is replaced."""

_HARMFUL = dict.fromkeys(
    (
        *(code for code in range(0x20) if chr(code) not in "\n\t"),  # controls, which a terminal obeys
        *range(0x7F, 0xA0),
        *range(0x202A, 0x202F),  # directions, which make text read as another
        *range(0x2066, 0x206A),
        *range(0xD800, 0xE000),  # halves of characters, which no file takes
    ),
    "�",
)


def clean(text: str) -> str:
    """Text that can be printed and stored anywhere; what cannot be is replaced."""
    return text if text.isprintable() else text.translate(_HARMFUL)


def as_text(value: object) -> str:
    """What stands where text belongs, SQLite taking any bytes there, as text; nothing is no text."""
    if isinstance(value, str):
        return value
    return decoded(value) if isinstance(value, bytes) else "" if value is None else str(value)


def as_number(value: object) -> float | None:
    """What stands where a number belongs, NaN and infinity among them; None if it is none."""
    return float(value) if isinstance(value, int | float) else None


def as_whole(value: object) -> int | None:
    """What stands where a step or a time belongs; None if it is no whole number of 64 bits."""
    number = as_number(value)
    if number is None or not math.isfinite(number) or abs(number) > 2**63:
        return None
    return int(value)  # type: ignore[call-overload, no-any-return]  # a float has not all digits of a step


def load_json(text: str | bytes | None) -> Any:
    """The JSON value that ``text`` spells; None if it spells none, or one nested too deeply to read.

    A whole number beyond 64 bits, which files and figures do not take, is a float.
    """
    try:
        return (
            _JSON.decode(text)
            if text and isinstance(text, str)
            else json.loads(text or "null", parse_int=_whole)
        )
    except (ValueError, RecursionError):
        return None


def _whole(digits: str) -> int | float:
    if len(digits) > 20:
        return float(digits)
    value = int(digits)
    return value if -(2**63) <= value < 2**63 else float(value)


_JSON = json.JSONDecoder(parse_int=_whole)
