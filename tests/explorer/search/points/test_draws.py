"""What is drawn depends on seed and number alone: with more points, or after a restart, the first stay as they were."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.search import Study
from explorer.search.random import Random
from explorer.search.sobol import Sobol
from explorer.sweep.axes import Interval, Listed, Point
from explorer.sweep.space import Space
from tests.explorer.search.spaces import branched

KINDS = [Random, Sobol]

each = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def drawn(kind: type[Random | Sobol], count: int, seed: int = 0, space: Space | None = None) -> list[Point]:
    source = kind(trials=count, seed=seed).source(space or branched(), count, Study())
    return [one.point for one in source.ask(10**6)]


@each
@settings(max_examples=20)
@given(few=st.integers(1, 40), more=st.integers(1, 100), seed=st.integers(0, 10**6))
def test_more_draws_keep_the_earlier_ones(kind: type[Random | Sobol], few: int, more: int, seed: int) -> None:
    assert drawn(kind, few + more, seed)[:few] == drawn(kind, few, seed)


@each
def test_other_seeds_draw_other_points(kind: type[Random | Sobol]) -> None:
    assert drawn(kind, 5, seed=0) != drawn(kind, 5, seed=1)


@each
def test_they_do_not_learn_and_need_an_end(kind: type[Random | Sobol]) -> None:
    assert not kind.learns
    assert kind.endless


@each
def test_an_axis_is_drawn_only_where_it_applies(kind: type[Random | Sobol]) -> None:
    points = drawn(kind, 64)
    assert all(("objective.lam" in point) == (point["objective.name"] == "pr") for point in points)
    assert 16 < sum("objective.lam" in point for point in points) < 48


def test_a_sobol_sequence_fills_the_space_more_evenly_than_draws_do() -> None:
    line = Space(({"x": Interval(0.0, 1.0, log=False, whole=False, steps=None)},))

    def gap(kind: type[Random | Sobol]) -> float:
        values = sorted(point["x"] for point in drawn(kind, 64, space=line))
        return max(b - a for a, b in pairwise([0.0, *values, 1.0]))

    assert gap(Sobol) < 2.1 / 64 < gap(Random)


def test_a_sobol_sequence_covers_options_whole_numbers_and_decades_alike() -> None:
    box = {
        "a": Listed(("x", "y", "z")),
        "b": Interval(1.0, 4.0, log=False, whole=True, steps=None),
        "c": Interval(0.01, 100.0, log=True, whole=False, steps=None),
    }
    points = drawn(
        Sobol, 96, space=Space((box, {"d": Interval(0.0, 1.0, log=False, whole=False, steps=None)}))
    )
    first = [point for point in points if "a" in point]
    assert 35 <= len(first) <= 61, "boxes have equal parts"
    for value in ("x", "y", "z"):
        assert sum(point["a"] == value for point in first) > len(first) / 5
    assert {point["b"] for point in first} == {1, 2, 3, 4}
    below = sum(math.log10(point["c"]) < 0 for point in first)
    assert abs(below - len(first) / 2) < 6


def test_a_space_of_nothing_has_one_point() -> None:
    assert drawn(Sobol, 3, space=Space(({},))) == [{}]
