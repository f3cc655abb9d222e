"""A grid visits every point, or the first so many, and can be planned ahead."""

from __future__ import annotations

from explorer.search import Study
from explorer.search.grid import Grid
from tests.explorer.search.spaces import space


def test_every_point_in_order() -> None:
    source = Grid().source(space(), None, Study())
    assert [one.point for one in source.ask(100)] == list(space().grid())


def test_the_first_so_many_if_a_number_is_given() -> None:
    assert [one.point for one in Grid(trials=3).source(space(), 3, Study()).ask(100)] == list(space().grid())[
        :3
    ]


def test_it_ends_by_itself_and_does_not_learn() -> None:
    assert not Grid.endless
    assert not Grid.learns
