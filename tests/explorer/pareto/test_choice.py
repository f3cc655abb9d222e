"""One trial to look at: knees of known fronts, a preference that walks along the front, lines of equal F."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.errors import UserError
from explorer.pareto.choice import iso_f, knee, preferred, weights
from explorer.pareto.dominance import front_mask

PLANE = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=20)


def test_the_knee_bulges_most_towards_the_ideal_whatever_the_units() -> None:
    front = np.array([[0.0, 1.0], [0.1, 0.4], [0.2, 0.2], [0.5, 0.1], [1.0, 0.0]])
    assert knee(front) == 2
    assert knee(front * [1000.0, 1e-6] + [5.0, -3.0]) == 2
    assert knee(front[::-1]) == 2


def test_the_knee_of_a_corner_in_three_objectives() -> None:
    front = np.vstack((np.ones((3, 3)) - np.eye(3), [[0.3, 0.3, 0.3], [0.2, 0.6, 0.6]]))
    assert knee(front) == 3
    assert knee(np.vstack((front, [[0.1, 0.2, 0.3]]))) == 5


def test_extremes_weigh_the_objectives_of_three() -> None:
    """The plane is that of the extremes, not the one through (1, 1, 1)'s neighbours: the third counts 2.5."""
    extremes = np.array([[0.0, 1.0, 0.2], [1.0, 0.0, 0.2], [0.6, 0.6, 0.0], [0.5, 0.5, 1.0]])
    rest = np.array([[0.3, 0.3, 0.19], [0.2, 0.35, 0.25]])
    both = np.vstack((extremes, rest))
    normal = np.linalg.solve(extremes[[0, 1, 2]], np.ones(3))
    assert (normal > 0).all()
    assert knee(both) == int(np.argmin(both @ normal))


@pytest.mark.parametrize("front", [[[3.0, 4.0]], [[0.0, 1.0], [1.0, 0.0]], [[1.0, 1.0]] * 4, [[2.0]]])
def test_a_front_of_few_has_a_knee_all_the_same(front: list[list[float]]) -> None:
    assert knee(np.array(front)) == 0


def test_a_straight_front_has_its_first_point_and_the_largest_numbers_do_no_harm() -> None:
    line = np.linspace(0, 1, 11)
    assert knee(np.stack((line, 1 - line), axis=1)) == 0
    wide = np.array([[-1.7e308, 1.7e308], [-1.6e308, -1.6e308], [1.7e308, -1.7e308]])
    assert knee(wide) == 1
    assert preferred(wide, [0.5, 0.5]) == 1


def test_nothing_cannot_be_chosen_from() -> None:
    with pytest.raises(ValueError, match="a choice needs a point"):
        knee(np.empty((0, 2)))
    with pytest.raises(ValueError, match="finite"):
        preferred(np.array([[math.nan, 1.0]]), [0.5, 0.5])


@settings(max_examples=200)
@given(PLANE, st.lists(st.integers(0, 50), min_size=2, max_size=6, unique=True))
def test_a_larger_preference_never_gives_more_precision_and_stays_on_the_front(
    rows: list[tuple[int, int]], steps: list[int]
) -> None:
    points = np.array(rows, dtype=np.float64)
    chosen = [preferred(points, weights(step / 50)) for step in sorted(steps)]
    assert front_mask(points)[chosen].all()
    assert (np.diff(points[chosen, 0]) >= 0).all(), "the first coordinate is precision, minimised"
    assert (np.diff(points[chosen, 1]) <= 0).all(), "and the second recall"


@settings(max_examples=100)
@given(PLANE)
def test_the_ends_of_the_slider_are_the_extremes(rows: list[tuple[int, int]]) -> None:
    points = np.array(rows, dtype=np.float64)
    by_precision = min(rows)
    by_recall = min(rows, key=lambda row: row[::-1])
    assert tuple(points[preferred(points, weights(0.0))]) == by_precision
    assert tuple(points[preferred(points, weights(1.0))]) == by_recall


def test_a_front_that_bends_away_is_walked_along_too() -> None:
    """A weighted sum would jump from one end of it to the other."""
    angle = np.linspace(0, math.pi / 2, 21)
    away = np.stack((np.sin(angle), np.cos(angle)), axis=1)
    chosen = {preferred(away, weights(p)) for p in np.linspace(0, 1, 400)}
    assert chosen == set(range(21))


def test_rows_that_are_dominated_or_not_finite_do_not_change_the_choice() -> None:
    front = np.array([[0.0, 1.0], [0.3, 0.3], [1.0, 0.0]])
    more = np.vstack(([[math.nan, -5.0], [50.0, 50.0]], front))
    for p in (0.0, 0.4, 0.5, 0.9, 1.0):
        assert preferred(more, weights(p)) == preferred(front, weights(p)) + 2


@pytest.mark.parametrize("preference", [-0.1, 1.1, math.nan])
def test_a_preference_is_a_share(preference: float) -> None:
    with pytest.raises(UserError, match="between 0"):
        weights(preference)


@given(st.floats(0.01, 1), st.floats(0.1, 10))
def test_along_the_line_f_is_the_level(level: float, beta: float) -> None:
    recall, precision = iso_f(level, beta)
    square = beta**2
    assert (1 + square) * precision * recall / (square * precision + recall) == pytest.approx(level)
    assert recall.min() >= 0
    assert (recall[-1], precision[0]) == (pytest.approx(1), pytest.approx(1))
    assert precision.max() <= 1
    assert recall.max() <= 1
    if level < 0.99:
        assert (np.diff(recall) > 0).all()
        assert (np.diff(precision) < 0).all()


def test_levels_and_beta_are_refused_where_there_is_no_line() -> None:
    for level in (0.0, -1.0, 1.01, math.nan):
        with pytest.raises(UserError, match="level"):
            iso_f(level)
    with pytest.raises(UserError, match="β"):
        iso_f(0.5, 0.0)


def test_a_tie_of_extremes_is_one_in_all_units() -> None:
    front = np.array([[1.0, 2, 0], [0, 1, 1], [3, 0, 1], [2, 0, 2], [1, 0, 3]])
    units = np.random.default_rng(0).uniform(0.1, 1, (50, 3))
    assert {knee(front * unit) for unit in units} == {knee(front)}
