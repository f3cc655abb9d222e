"""Attainment against its definition, asked point by point on a grid."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.pareto.attainment import attained, attainment

GRID = 6
ROWS = st.lists(st.tuples(st.integers(0, GRID - 1), st.integers(0, GRID - 1), st.integers(0, 4)), max_size=16)


def by_definition(points: np.ndarray, seeds: np.ndarray, query: np.ndarray) -> float:
    """The share of seeds that have a point nowhere worse."""
    every = sorted(set(seeds.tolist()))
    return sum(bool((points[seeds == s] <= query).all(axis=1).any()) for s in every) / max(1, len(every))


@settings(max_examples=100)
@given(ROWS, st.integers(1, 8))
def test_behind_the_boundary_lies_what_the_share_attains(
    rows: list[tuple[int, int, int]], eighths: int
) -> None:
    """Behind a staircase lies what one of its vertices is nowhere worse than."""
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    points, seeds = table[:, :2], table[:, 2]
    (stairs,) = attainment(points, seeds, (eighths / 8,), (GRID, GRID))
    places = np.arange(-0.5, GRID, 0.5)
    queries = np.stack(np.meshgrid(places, places), axis=-1).reshape(-1, 1, 2)
    every = np.unique(seeds)
    times = sum(((points[seeds == s] <= queries).all(axis=2).any(axis=1).astype(int) for s in every), 0)
    behind = (stairs <= queries).all(axis=2).any(axis=1)
    if len(rows):
        assert (behind == (times >= math.ceil(eighths * len(every) / 8))).all()
    else:
        assert not behind.any()


@settings(max_examples=60)
@given(ROWS)
def test_a_boundary_is_a_staircase_from_corner_to_corner(rows: list[tuple[int, int, int]]) -> None:
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    for stairs in attainment(table[:, :2], table[:, 2], corner=(GRID, GRID)):
        if not len(stairs):
            continue
        assert stairs[0, 1] == GRID
        assert stairs[-1, 0] == GRID
        steps = np.diff(stairs, axis=0)
        assert ((steps == 0).sum(axis=1) == 1).all(), "every step goes along one axis"
        assert (steps[::2, 1] < 0).all(), "it falls"
        assert (steps[1::2, 0] > 0).all(), "and goes on, in turn"


def test_three_seeds_by_hand() -> None:
    points = np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0], [2.5, 2.5]])
    half, most = attainment(points, ["a", "b", "c", "a"], (0.5, 0.75), (4.0, 4.0))
    assert half.tolist() == [[2, 4], [2, 3], [2.5, 3], [2.5, 2.5], [3, 2.5], [3, 2], [4, 2]]
    assert most.tolist() == [[3, 4], [3, 2.5], [4, 2.5]]


def test_one_seed_attains_its_own_front_at_every_level() -> None:
    points = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    for stairs in attainment(points, [7, 7, 7], corner=(2.0, 2.0)):
        assert stairs.tolist() == [[0, 2], [0, 1], [1, 1], [1, 0], [2, 0]]


def test_the_corner_is_the_worst_seen_and_a_given_one_cuts() -> None:
    points = np.array([[0.0, 5.0], [1.0, 1.0], [5.0, 0.0]])
    (whole,) = attainment(points, [0, 0, 0], (1.0,))
    assert (whole[0].tolist(), whole[-1].tolist()) == ([0, 5], [5, 0])
    (cut,) = attainment(points, [0, 0, 0], (1.0,), (3.0, 3.0))
    assert cut.tolist() == [[1, 3], [1, 1], [3, 1]]
    (nothing,) = attainment(points, [0, 0, 0], (1.0,), (0.5, 0.5))
    assert nothing.shape == (0, 2)


def test_shares_of_many_seeds_do_not_ask_for_one_more_by_rounding() -> None:
    seeds = np.arange(100)
    points = np.stack((np.zeros(100), seeds.astype(float)), axis=1)
    (stairs,) = attainment(points, seeds, (0.07,), (1.0, 200.0))
    assert stairs[1].tolist() == [0, 6], "seven of them reach 6"


def test_what_is_not_finite_and_nothing_at_all_have_no_boundary() -> None:
    assert [len(stairs) for stairs in attainment(np.empty((0, 2)), [])] == [0, 0, 0]
    gone = np.array([[math.nan, 0.0], [0.0, math.inf], [1.0, 1.0]])
    (stairs,) = attainment(gone, [0, 1, 2], (1.0,), (2.0, 2.0))
    assert stairs.tolist() == [[1, 2], [1, 1], [2, 1]], "seeds without a point do not count"


@pytest.mark.parametrize("goals", [1, 2, 3, 4])
@settings(max_examples=60)
@given(data=st.data())
def test_the_share_that_attains_a_point_of_any_dimension(goals: int, data: st.DataObject) -> None:
    row = st.tuples(*[st.integers(0, 3)] * goals)
    points = np.array(data.draw(st.lists(row, max_size=14)), dtype=np.float64).reshape(-1, goals)
    queries = np.array(data.draw(st.lists(row, max_size=8)), dtype=np.float64).reshape(-1, goals)
    seeds = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(points), max_size=len(points))))
    expected = [by_definition(points, seeds, query) for query in queries]
    assert attained(points, seeds, queries).tolist() == pytest.approx(expected)


def test_a_query_without_a_value_is_not_attained() -> None:
    points = np.array([[0.0, 0.0, 0.0], [math.nan, 0.0, 0.0]])
    queries = np.array([[1.0, math.nan, 1.0], [1.0, 1.0, math.inf], [math.nan] * 3])
    assert attained(points, [0, 1], queries).tolist() == [0, 1, 0]
