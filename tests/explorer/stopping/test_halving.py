"""Halving keeps whole fronts before it chooses, and then chooses what lies apart."""

from __future__ import annotations

import itertools
import math
from typing import Any

import moocore
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


def test_who_adds_least_to_the_hypervolume_goes_first() -> None:
    """By hand, up to (2, 2): the four add 0.1, 0.04, 0.2 and 0.5; without the second the first adds 0.5."""
    values = [(0.0, 1.0), (0.1, 0.9), (0.5, 0.5), (1.0, 0.0)]
    assert set(best(values, 3)) == {0, 2, 3}
    assert set(best(values, 2)) == {0, 3}


def test_of_equals_those_stay_that_are_spread_over_the_order_of_points() -> None:
    """As at a rung where λ does not act yet: its ends say more than its middle, once it does."""
    equal = (0.5, 0.5)
    assert set(best([(0.0, 1.0), (1.0, 0.0), equal, equal, equal], 3)) == {0, 1, 4}
    assert set(best([equal, equal, equal, (0.0, 1.0), (1.0, 0.0)], 3)) == {0, 3, 4}
    assert set(best([(0.0, 1.0), equal, equal, equal, (1.0, 0.0)], 3)) == {0, 2, 4}
    assert set(best([(0.0, 1.0), equal, equal, equal, equal, (1.0, 0.0)], 4)) == {0, 1, 3, 5}
    assert set(best([equal] * 9, 5)) == {0, 2, 4, 6, 8}
    assert best([equal] * 9, 1) == [0]
    assert set(best([[1.0]] * 9, 3)) == {0, 4, 8}, "one objective: all of a front are equal"
    # those of an earlier front stay, too
    assert set(best([(0.1, 0.1), equal, equal, equal], 2)) == {0, 3}


@pytest.mark.parametrize("unit", [1.0, 3.0, 10.0])
def test_who_adds_as_much_but_for_rounding_is_equal(unit: float) -> None:
    """Units and processors round otherwise."""
    assert set(best([(i / unit, -i / unit) for i in range(11)], 6)) == {0, 2, 4, 6, 8, 10}


@given(st.integers(1, 300), st.integers(11, 59))
def test_as_many_go_on_as_the_quotient_says(count: int, tenths: int) -> None:
    goes_on = Halving(eta=tenths / 10).survivors([[float(i)] for i in range(count)], [0.0] * count)
    assert len(goes_on) == -(-10 * count // tenths)


@given(st.lists(st.tuples(*[st.integers(0, 20).map(float)] * 3), min_size=3, max_size=8, unique=True))
def test_every_step_leaves_the_largest_hypervolume_that_is_left(values: list[tuple[float, ...]]) -> None:
    """Of points on a plane, of which none dominates another: each is left out in turn, and the volumes compared."""
    front = np.array([(a, b, 60.0 - a - b) for a, b, _ in {row[:2]: row for row in values}.values()])
    span = np.ptp(front, axis=0)
    scaled = (front - front.min(axis=0)) / np.where(span > 0, span, 1.0)
    corner = np.full(3, 2.0)
    for count in range(1, len(front)):
        before, after = best(front.tolist(), count + 1), best(front.tolist(), count)
        assert set(after) < set(before)
        others = [[i for i in before if i != left] for left in before]
        most = max(moocore.hypervolume(scaled[rest], ref=corner) for rest in others)
        assert moocore.hypervolume(scaled[after], ref=corner) == pytest.approx(most, abs=1e-11)


def test_of_more_than_three_objectives_those_that_lie_apart_stay() -> None:
    """Crowding distances by hand: on a line the ends, then the one between the wider gaps."""
    along = (0.0, 0.1, 0.5, 1.0)
    values = [(t, 1 - t, t, 1 - t) for t in along]
    assert set(best(values, 2)) == {0, 3}
    assert set(best(values, 3)) == {0, 2, 3}, "0.9 in each objective around the third, 0.5 around the second"
    many = np.random.default_rng(0).dirichlet(np.ones(6), size=400)
    assert len(set(best(many.tolist(), 150))) == 150


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
