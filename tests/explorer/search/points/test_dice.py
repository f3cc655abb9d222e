"""Dice stay inside, and seeds depend on all they are made of."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from explorer.search.points.dice import Dice, between, seed_of
from explorer.sweep.axes import Interval
from explorer.sweep.space import Space
from tests.explorer.search.spaces import assert_inside, wide


def test_draws_lie_in_the_space_and_cover_it() -> None:
    dice = Dice(0)
    drawn = [wide().choose(dice) for _ in range(200)]
    for point in drawn:
        assert_inside(point)
    lams = [math.log10(point["objective.lam"]) for point in drawn if "objective.lam" in point]
    assert 60 < len(lams) < 140, "boxes are drawn alike"
    assert sum(lam < 0 for lam in lams) / len(lams) > 0.3, "log-uniform, not uniform"


@given(seed=st.integers(0, 1000), low=st.integers(1, 5), width=st.integers(1, 20), log=st.booleans())
def test_whole_numbers_stay_whole_and_inside(seed: int, low: int, width: int, log: bool) -> None:
    axis = Interval(float(low), float(low + width), log=log, whole=True, steps=None)
    dice = Dice(seed)
    drawn = [Space(({"x": axis},)).choose(dice)["x"] for _ in range(20)]
    assert all(isinstance(x, int) and low <= x <= low + width for x in drawn)


@given(share=st.floats(0, 1), low=st.floats(1e-6, 1e6), factor=st.floats(1.001, 1e6), log=st.booleans())
def test_a_share_of_an_interval_lies_in_it(share: float, low: float, factor: float, log: bool) -> None:
    assert low <= between(share, low, low * factor, log) <= low * factor


def test_seeds_of_other_words_are_others() -> None:
    seeds = [seed_of(*words) for words in [(0, 1), (1, 0), (0, 11), (1,), ("1",), ("drawn", 0, 1)]]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**32 for seed in seeds)
    assert seed_of(3, 4) == seed_of(3, 4)
