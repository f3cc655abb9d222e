"""A few out of many, spread evenly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

__all__ = ["MOST_DRAWN", "evenly"]

T = TypeVar("T")

MOST_DRAWN = 2_000
"""Points of one line; no screen is wider."""


def evenly(rows: Sequence[T], most: int = MOST_DRAWN) -> Sequence[T]:
    """At most so many of the rows, two or more, at even distances, the first and the last among them."""
    if len(rows) <= most:
        return rows
    return [rows[round(i * (len(rows) - 1) / (most - 1))] for i in range(most)]
