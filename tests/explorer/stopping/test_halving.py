"""Halving keeps whole fronts before it chooses, and then chooses what lies apart."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.stopping.halving import Halving, best

VALUES = st.lists(st.tuples(*[st.integers(0, 6).map(float)] * 3), min_size=1, max_size=9)


@given(VALUES, st.integers(1, 9))
@settings(max_examples=200)
def test_nobody_is_chosen_before_who_dominates_it(values: list[tuple[float, ...]], count: int) -> None:
    count = min(count, len(values))
    chosen = best(values, count)
    assert len(chosen) == len(set(chosen)) == count
    points = np.array(values)
    for inside, outside in itertools.product(chosen, set(range(len(values))) - set(chosen)):
        better = (points[outside] <= points[inside]).all() and (points[outside] < points[inside]).any()
        assert not better, f"{outside} dominates {inside}"


def test_of_one_front_the_spread_is_kept_not_the_crowd() -> None:
    crowd = [(0.5 + e, 0.5 - e) for e in (0.0, 0.01, 0.02, 0.03)]
    values = [*crowd, (0.0, 1.0), (1.0, 0.0)]
    assert {4, 5} < set(best(values, 3))


def test_ends_of_every_objective_are_kept_and_then_the_widest_gaps() -> None:
    """Crowding distances by hand: of a line of four points the ends, then the one between the wider gaps."""
    values = [(0.0, 1.0), (0.1, 0.9), (0.5, 0.5), (1.0, 0.0)]
    assert set(best(values, 2)) == {0, 3}
    assert set(best(values, 3)) == {0, 2, 3}, "0.9 + 0.9 around the third, 0.5 + 0.5 around the second"
    alike = [(0.0, 1.0), (1.0, 0.0), (0.5, 0.5), (0.5, 0.5), (0.5, 0.5)]
    assert set(best(alike, 3)) == {0, 1, 2}, "the first of equals"


def test_what_is_not_finite_is_worst_and_scales_do_not_matter() -> None:
    values = [(1.0, math.inf), (math.nan, 5.0), (0.5, 4.0), (0.2, 9.0)]
    assert set(best(values, 2)) == {2, 3}
    scaled = [(1e6 * a, 1e-3 * b) for a, b in values]
    assert best(scaled, 2) == best(values, 2)
    assert best([(math.nan,), (math.nan,)], 1) == [0]


@pytest.mark.parametrize(
    ("halving", "iterations", "rungs"),
    [
        (Halving(), 10_000, (1000, 8000)),
        (Halving(at=(1 / 9, 1 / 3)), 900, (100, 300)),
        (Halving(), 3, (2,)),
        (Halving(), 1, ()),
        (Halving(at=(0.1, 0.11, 0.9)), 10, (1, 9)),
    ],
)
def test_rungs_are_where_the_shares_of_the_iterations_lie(
    halving: Halving, iterations: int, rungs: tuple[int, ...]
) -> None:
    assert halving.rungs_of(iterations) == rungs


def test_so_many_go_on() -> None:
    values = [(float(i), float(-i)) for i in range(11)]
    none = [0.0] * 11
    assert len(Halving().survivors(values, none)) == 4
    assert len(Halving(eta=2).survivors(values, none)) == 6
    assert Halving().survivors([(0.0, 0.0)], [0.0]) == [0]


def test_points_that_keep_to_the_constraints_come_first() -> None:
    values = [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]
    half = Halving(eta=2)
    assert half.survivors(values, [0.5, 0.0, 0.1, 0.0]) == [1, 3]
    assert half.survivors(values, [0.5, 0.0, 0.1, math.inf]) == [1, 2], "then whoever misses least"
    assert set(half.survivors(values, [0.5, 0.0, 0.0, 0.0])) == {1, 2}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"eta": 1.0}, "above 1"),
        ({"at": ()}, "rising shares"),
        ({"at": (0.5, 0.1)}, "rising shares"),
        ({"at": (0.5, 1.0)}, "rising shares"),
        ({"at": tuple(i / 20 for i in range(1, 13))}, "at most 10"),
    ],
)
def test_what_halves_nothing_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Halving(**changes)
