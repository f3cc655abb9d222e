"""Values from Python as a sweep file would hold them: numbers, text, lists and sections, of the same bounded size."""

from __future__ import annotations

import os
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from typing import Any

from explorer.errors import UserError, brief, shown, telling
from explorer.sweep.loading import DEEPEST, LARGEST_WHOLE, MOST_VALUES, check_text
from trainables.declarations import reason

__all__ = ["plain_mapping", "plain_value"]


def plain_value(value: Any, where: str) -> Any:
    """Tuples, ranges, sets and arrays as lists, numbers of NumPy as Python's, paths as text.

    ``where`` names the value in the sentence that refuses anything else, or more than a file may hold. O(size).
    """
    with _reading(where):
        return _Walk(brief(where)).plain(value, 0)


def plain_mapping(source: Mapping[Any, Any], what: str) -> dict[str, Any]:
    """Every value by its key, which names it where it is refused; ``what`` names the mapping. O(size)."""
    with _reading(what):
        walk = _Walk(what)
        return {name: plain_value(value, name) for key, value in source.items() for name in [walk.key(key)]}


def _reading(where: str) -> AbstractContextManager[None]:
    """Values of others may raise whatever they like; tensors that are sparse, or nowhere, have no list."""
    told = f"'{brief(where)}' must hold plain values, but reading it raised"
    return telling(lambda error: f"{told} {reason(error)}")


class _Walk:
    """Counts what it meets, so that a value that holds itself comes to an end."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._values = 0

    def plain(self, value: Any, depth: int) -> Any:
        self._count(depth)
        if value is None or isinstance(value, bool | float) or type(value) is int:
            return self._number(value)
        if isinstance(value, str | os.PathLike):
            text = os.fspath(value)
            check_text(str(text), f"'{self._where}'")
            return str(text)
        if isinstance(value, Mapping):
            return {self.key(key): self.plain(inner, depth + 1) for key, inner in value.items()}
        if isinstance(value, list | tuple | range):
            return [self.plain(inner, depth + 1) for inner in value]
        if isinstance(value, AbstractSet):
            return [self.plain(inner, depth + 1) for inner in sorted(value, key=repr)]
        if hasattr(value, "tolist"):  # NumPy's arrays and scalars, tensors, series of pandas
            return self.plain(value.tolist(), depth + 1)
        kind = type(value).__name__
        raise UserError(
            f"'{self._where}' must be made of numbers, text, lists and mappings, got {brief(kind)}"
        )

    def _count(self, depth: int) -> None:
        self._values += 1
        if depth > DEEPEST:
            raise UserError(
                f"'{self._where}' must be nested at most {DEEPEST} levels deep; does it hold itself?"
            )
        if self._values > MOST_VALUES:
            raise UserError(
                f"'{self._where}' must hold at most {MOST_VALUES:,} values; give a range of them instead"
            )

    def _number(self, value: Any) -> Any:
        if type(value) is int and abs(value) >= LARGEST_WHOLE:
            raise UserError(
                f"whole numbers lie within ±2^63, got one of {value.bit_length()} bits in '{self._where}'"
            )
        return float(value) if isinstance(value, float) else value

    def key(self, key: Any) -> str:
        """A key, which must be text."""
        if not isinstance(key, str):
            raise UserError(f"the keys of '{self._where}' must be text, got {shown(key)}")
        check_text(key, f"a key of '{self._where}'")
        return str(key)
