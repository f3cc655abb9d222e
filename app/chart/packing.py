"""A chart as bytes: a header of JSON for all that is said in words, and its arrays as they lie in memory."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.figures.chart import Chart

__all__ = ["packed"]

ALIGNMENT = 8
KINDS: dict[str, np.dtype[Any]] = {
    "f8": np.dtype("<f8"),
    "f4": np.dtype("<f4"),
    "i4": np.dtype("<i4"),
    "u1": np.dtype("u1"),
}


def packed(chart: Chart, key: str = "") -> bytes:
    """The chart as one piece: u32 length of the header, the header, zeros up to a multiple of 8, the arrays.

    In the header a dataclass is an object of its fields, and an array ``{"$": [offset, length, kind, shape]}``: its
    first byte counted from the first array's, its number of elements, and ``f8``, ``f4``, ``i4`` or ``u1``. Numbers are
    little-endian. NaN is in arrays alone; a number of the header that is not finite is null. ``key`` is the name that
    the page gave to the chart. O(bytes).
    """
    arrays = _Arrays()
    header = {**_plain(chart, arrays), "key": key}
    text = json.dumps(header, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    words = text.encode("utf-8", errors="replace")  # half a surrogate pair has no encoding
    start = struct.pack("<I", len(words)) + words
    return b"".join((start, bytes(-len(start) % ALIGNMENT), *arrays.pieces))


class _Arrays:
    """Arrays behind a header, each at a multiple of 8; one that comes twice is there once."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self._length = 0
        self._known: dict[int, tuple[NDArray[Any], dict[str, Any]]] = {}

    def add(self, array: NDArray[Any]) -> dict[str, Any]:
        """The place of an array; the array itself is kept along, so that its identity stays its own."""
        if id(array) not in self._known:
            kind = _kind(array)
            data = np.ascontiguousarray(array, dtype=KINDS[kind]).tobytes()
            place = {"$": [self._length, int(array.size), kind, list(array.shape)]}
            padding = bytes(-len(data) % ALIGNMENT)
            self.pieces += [data, padding]
            self._length += len(data) + len(padding)
            self._known[id(array)] = (array, place)
        return self._known[id(array)][1]


def _kind(array: NDArray[Any]) -> str:
    """How elements are stored; integers beyond 32 bits are numbers like any other."""
    if array.dtype.kind == "b":
        return "u1"
    if array.dtype.kind in "iu":
        limits = np.iinfo(np.int32)
        inside = not array.size or (int(array.min()) >= limits.min and int(array.max()) <= limits.max)
        return "i4" if inside else "f8"
    return "f4" if array.dtype == np.float32 else "f8"


def _plain(value: Any, arrays: _Arrays) -> Any:
    """The value as JSON has it; numeric arrays go behind the header."""
    if isinstance(value, str) or value is None or isinstance(value, bool):
        return value
    if isinstance(value, np.ndarray):
        return arrays.add(value) if value.dtype.kind in "biuf" else [_word(item) for item in value.ravel()]
    if isinstance(value, (int, np.integer, np.bool_)):
        return value.item() if isinstance(value, np.generic) else value
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name), arrays) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item, arrays) for key, item in value.items()}
    if all(type(item) is str for item in value):
        return list(value)
    return [_plain(item, arrays) for item in value]


def _word(item: object) -> str:
    """A word of an array of words; nothing is none."""
    return "" if item is None else str(item)
