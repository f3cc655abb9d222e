"""What others may have written: text without control characters, JSON of any shape, read as far as it can be."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["clean", "load_json"]

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


def load_json(text: str | bytes | None) -> Any:
    """The JSON value that ``text`` spells; None if it spells none, or one nested too deeply to read.

    A whole number beyond 64 bits, which files and figures do not take, is a float.
    """
    try:
        return json.loads(text or "null", parse_int=_whole)
    except (ValueError, RecursionError):
        return None


def _whole(digits: str) -> int | float:
    if len(digits) > 20:
        return float(digits)
    value = int(digits)
    return value if -(2**63) <= value < 2**63 else float(value)
