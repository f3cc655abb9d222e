"""Points of artifacts: rectangles of numbers, and nothing else."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from explorer.results.points import FARTHEST, read_numbers, read_points

ANYTHING = some.recursive(
    some.none() | some.booleans() | some.floats() | some.integers() | some.text(max_size=5),
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


def test_rows_that_cannot_be_drawn_are_left_out() -> None:
    raw = json.loads("[[0, 1], [NaN, 2], [Infinity, 3], [1e200, 4], [null, 5], [6, 7]]")
    assert read_points(raw).tolist() == [[0, 1], [6, 7]]


def test_numbers_that_cannot_be_drawn_are_nan() -> None:
    found = read_numbers([1, None, float("inf"), 2 * FARTHEST, -3.5])
    np.testing.assert_array_equal(found, [1, np.nan, np.nan, np.nan, -3.5])


@pytest.mark.parametrize("raw", [None, 3, "12", {}, {"a": [1]}, [[1, 2], [3]], [["x", 1]], [], [10**400]])
def test_what_is_no_rectangle_is_empty(raw: object) -> None:
    assert read_points(raw).shape == (0, 0)


@given(ANYTHING)
def test_whatever_stands_there_is_read_without_an_error(raw: object) -> None:
    points, numbers = read_points(raw), read_numbers(raw)
    assert points.ndim == 2
    assert (np.abs(points) < FARTHEST).all()
    assert numbers.ndim == 1
