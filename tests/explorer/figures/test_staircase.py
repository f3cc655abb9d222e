"""The staircase bounds what is reached: brute force over random points, in every direction."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.figures.staircase import best_pairs, staircase
from explorer.goals import Direction

directions = st.sampled_from(["max", "min"])


planes = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=25)


def better_or_equal(a: tuple[float, float], b: tuple[float, float], x: Direction, y: Direction) -> bool:
    return (a[0] >= b[0] if x == "max" else a[0] <= b[0]) and (a[1] >= b[1] if y == "max" else a[1] <= b[1])


@given(planes, directions, directions)
def test_best_pairs_are_the_non_dominated_points(points, x, y) -> None:
    expected = {p for p in points if not any(q != p and better_or_equal(q, p, x, y) for q in points)}
    best = best_pairs(points, x, y)
    assert len(best) == len(set(best))
    assert set(best) == expected


@given(planes, directions, directions)
def test_staircase_bounds_the_reached_region(points, x, y) -> None:
    worst = (-1.0 if x == "max" else 7.0, -1.0 if y == "max" else 7.0)
    line = staircase(points, x, y, worst)
    # Every vertex is reached (some point is no worse) and none lies inside (no point is better in both).
    for vertex in line:
        assert any(better_or_equal(p, vertex, x, y) for p in points)
        assert not any(
            better_or_equal(p, vertex, x, y) and p[0] != vertex[0] and p[1] != vertex[1] for p in points
        )
    # Steps are horizontal or vertical, by growing x.
    for (x1, y1), (x2, y2) in pairwise(line):
        assert x1 <= x2
        assert x1 == x2 or y1 == y2


@pytest.mark.parametrize(
    ("x", "y", "worst", "line"),
    [
        ("max", "max", (0, 0), [(0, 3), (1, 3), (1, 1), (2, 1), (2, 0)]),
        ("min", "min", (9, 9), [(1, 9), (1, 3), (2, 3), (2, 1), (9, 1)]),
    ],
)
def test_two_points_make_two_steps(x: Direction, y: Direction, worst, line) -> None:
    assert staircase([(2, 1), (1, 3)], x, y, worst) == line


@pytest.mark.parametrize(
    ("x", "y", "best"),
    [("max", "min", (2, 1)), ("min", "max", (1, 3)), ("max", "max", None), ("min", "min", None)],
)
def test_a_point_best_in_both_stands_alone(x: Direction, y: Direction, best) -> None:
    points = [(2, 1), (1, 3)]
    assert best_pairs(points, x, y) == ([best] if best else sorted(points))


def test_no_points_have_no_boundary() -> None:
    assert best_pairs([], "max", "max") == []
    assert staircase([], "max", "max", (0, 0)) == []
