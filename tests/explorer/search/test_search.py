"""A search says what it strives for, whether it comes to an end by itself, and what stands for its points."""

from __future__ import annotations

import pytest

from explorer.errors import UserError
from explorer.goals import Goal
from explorer.search import Study, of_search
from explorer.search.grid import Grid
from explorer.search.random import Random
from explorer.search.tpe import Tpe
from explorer.sweep.axes import Interval, Listed
from explorer.sweep.space import Space
from tests.explorer.search.spaces import space, wide


def test_goals_keep_their_order_and_direction() -> None:
    assert Grid(objectives={"fid": "min", "recall": "max"}).goals() == (
        Goal("fid", "min"),
        Goal("recall", "max"),
    )
    assert [goal.metric for goal in Grid().goals()] == ["precision", "recall", "fid"]


def test_a_search_without_end_needs_a_number_of_trials() -> None:
    with pytest.raises(
        ValueError, match=r"search 'random' never ends by itself: set search\.trials or --trials"
    ):
        Random()
    with pytest.raises(ValueError, match="search 'tpe' never ends"):
        Tpe()
    assert Grid().trials is None


@pytest.mark.parametrize("trials", [0, -3])
def test_trials_are_counted_from_one(trials: int) -> None:
    with pytest.raises(ValueError, match=rf"search\.trials must be ≥ 1, got {trials}"):
        Grid(trials=trials)


def test_goals_are_checked_at_birth() -> None:
    with pytest.raises(ValueError, match="'max' or 'min', got 'up'"):
        Grid(objectives={"fid": "up"})
    with pytest.raises(ValueError, match="at least one objective"):
        Grid(objectives={})


def test_the_ends_of_the_axes_stand_for_all_that_is_drawn_and_a_small_grid_is_looked_at_whole() -> None:
    drawn, walked = list(Random(trials=3).probes(wide())), list(Grid().probes(space()))
    assert drawn == list(wide().probes())
    assert {"objective.lam": 100.0, "model.generator": [8, 8]} in drawn
    ends = list(space().alone())
    assert walked == [*ends, *space().grid()]
    assert all(point in walked[len(ends) :] for point in ends)  # of what is tried, only sooner
    assert list(Grid(trials=2).probes(space())) == list(space().grid())[:2]


def test_of_a_large_grid_every_two_values_are_looked_at_together() -> None:
    steps = Interval(0.0, 1.0, log=False, whole=False, steps=100)
    large = Space(({"a": steps, "b": Listed((1, 2, 3)), "c": steps},))
    looked = list(Grid().probes(large))
    assert len(looked) < 100 < large.size() == 30_000
    for ends in ({0.0, 1.0},):
        assert {(p["a"], p["c"]) for p in looked if p["a"] in ends and p["c"] in ends} == {
            (a, c) for a in ends for c in ends
        }
    assert {(p["a"], p["b"]) for p in looked} >= {(a, b) for a in (0.0, 1.0) for b in (1, 2, 3)}
    cut = list(Grid(trials=5000).probes(large))
    assert all(point["a"] < 0.2 for point in cut), "of what is tried"


def test_what_it_asks_does_not_depend_on_how_often() -> None:
    assert Random(trials=3, seed=4).question() == Random(trials=30, seed=4).question()
    assert Random(trials=3, seed=4).question() != Random(trials=3, seed=5).question()
    assert Grid().bounds() == Grid().learns_from() == ()
    assert (Grid().flight(), Grid().remarks(5)) == (None, [])


def test_points_are_what_they_say_unless_told_otherwise() -> None:
    key = Study().key
    assert key({"a": 1, "b": 2}) == key({"b": 2, "a": 1}) != key({"a": 1, "b": 3})


def test_what_a_search_raises_is_told_as_its_fault() -> None:
    with pytest.raises(UserError, match="search 'grid' must give points, but it raised"), of_search(Grid()):
        raise RuntimeError("oh")
