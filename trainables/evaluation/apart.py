"""Many rows computed at once, such that a fault is that of one row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from trainables.faults import spoils_device

__all__ = ["apart"]

T = TypeVar("T")


def apart(rows: Sequence[int], compute: Callable[[Sequence[int]], list[T]]) -> list[T | Exception]:
    """``compute`` on all rows at once; where that raises, on halves, down to the row whose fault it is.

    A result per row, in their order: what was computed, or what it raised. Rows must not depend on each other. For f
    rows at fault among n that is O(f log n) calls more than one. A fault that leaves the device unusable is nobody's
    and is raised.
    """
    if not rows:
        return []
    try:
        return [*compute(rows)]
    except Exception as error:
        if spoils_device(error):
            raise
        if len(rows) == 1:
            return [error]
    middle = len(rows) // 2
    return apart(rows[:middle], compute) + apart(rows[middle:], compute)
