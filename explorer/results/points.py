"""Points as artifacts hold them, whoever wrote those."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["FARTHEST", "Points", "read_numbers", "read_points"]

FARTHEST = 1e100
"""Points beyond are left out as those that are not finite: of the greatest floats there are no differences."""
Points = NDArray[np.float64]


def read_points(raw: object) -> Points:
    """A rectangle of numbers, (N, d), without the rows that cannot be drawn; (0, 0) if it is anything else. O(N d)."""
    points = _array(raw)
    if points is None or points.ndim != 2 or points.size == 0:
        return np.empty((0, 0))
    return points[(np.abs(points) < FARTHEST).all(axis=1)]


def read_numbers(raw: object) -> Points:
    """A list of numbers, (N,), NaN where one is not finite or too great; (0,) if it is anything else. O(N)."""
    numbers = _array(raw)
    if numbers is None or numbers.ndim != 1:
        return np.empty(0)
    return np.where(np.abs(numbers) < FARTHEST, numbers, np.nan)


def _array(raw: object) -> Points | None:
    """Lists of numbers as floats, null among them as NaN; None from what is no array."""
    try:
        return np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
