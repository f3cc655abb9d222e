"""Sources hand out every point once under its number; what is known in advance is the same after a restart."""

from __future__ import annotations

from explorer.search.points.source import GridSource, ListedSource, PointSource
from explorer.sweep.axes import Listed
from explorer.sweep.space import Space
from tests.explorer.search.spaces import space


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
    assert source.note == ""


def test_a_limit_cuts_a_grid_short_without_walking_it() -> None:
    endless = Space(tuple({f"a{i}": Listed(tuple(range(1000)))} for i in range(1000)))
    assert GridSource(endless, 3).total == 3
    assert GridSource(space(), 100).total == 16


def test_a_source_that_knows_its_points_does_not_listen() -> None:
    source = GridSource(space())
    source.tell(0, [{"fid": 1.0}])
    assert isinstance(source, PointSource)
    assert source.ask(1)[0].number == 0
