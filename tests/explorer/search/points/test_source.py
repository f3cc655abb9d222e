"""Sources hand out every point once under its number; what is known in advance is the same after a restart."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from explorer.search.points.source import GridSource, ListedSource, PointSource, RandomSource
from explorer.sweep.space import Interval, Listed, Space
from tests.explorer.search.spaces import assert_inside, space, wide


def test_a_grid_is_walked_in_order_and_numbered() -> None:
    source = GridSource(space())
    assert source.total == 16
    assert not source.over
    asked = source.ask(5) + source.ask(100)
    assert source.over
    assert [one.point for one in asked] == list(space().grid())
    assert [one.number for one in asked] == list(range(16))
    assert source.ask(1) == []


def test_listed_points_are_handed_out_in_their_order() -> None:
    source = ListedSource([{"x": 3}, {"x": 1}])
    assert source.total == 2
    assert [(one.number, one.point["x"]) for one in source.ask(10)] == [(0, 3), (1, 1)]
    assert source.ask(1) == []


def test_a_limit_cuts_a_grid_short_without_walking_it() -> None:
    endless = Space(tuple({f"a{i}": Listed(tuple(range(1000)))} for i in range(1000)))
    assert GridSource(endless, 3).total == 3
    assert GridSource(space(), 100).total == 16


def test_draws_lie_in_the_space_and_cover_it() -> None:
    drawn = [one.point for one in RandomSource(wide(), 200, 0).ask(200)]
    for point in drawn:
        assert_inside(point)
    lams = [math.log10(point["objective.lam"]) for point in drawn if "objective.lam" in point]
    assert 60 < len(lams) < 140, "boxes are drawn alike"
    assert sum(lam < 0 for lam in lams) / len(lams) > 0.3, "log-uniform, not uniform"


@given(seed=st.integers(0, 1000), low=st.integers(1, 5), width=st.integers(1, 20), log=st.booleans())
def test_whole_numbers_stay_whole_and_inside(seed: int, low: int, width: int, log: bool) -> None:
    axis = Interval(float(low), float(low + width), log=log, whole=True, steps=None)
    drawn = [one.point["x"] for one in RandomSource(Space(({"x": axis},)), 20, seed).ask(20)]
    assert all(isinstance(x, int) and low <= x <= low + width for x in drawn)


def test_a_source_that_knows_its_points_does_not_listen() -> None:
    source = GridSource(space())
    source.tell(0, [{"fid": 1.0}])
    assert isinstance(source, PointSource)
    assert source.ask(1)[0].number == 0
