"""A search says what it strives for, and whether it comes to an end by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.goals import Goal
from explorer.search import Study
from explorer.search.grid import Grid
from explorer.search.random import Random
from explorer.search.tpe import Tpe
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


def test_the_ends_of_the_axes_stand_for_all_that_is_drawn_and_a_grid_is_looked_at_whole() -> None:
    drawn, walked = list(Random(trials=3).probes(wide())), list(Grid().probes(space()))
    assert drawn == list(wide().probes())
    assert {"objective.lam": 100.0, "model.generator": [8, 8]} in drawn
    ends = list(space().alone())
    assert walked == [*ends, *space().grid()]
    assert all(point in walked[len(ends) :] for point in ends)  # of what is tried, only sooner
    assert list(Grid(trials=2).probes(space())) == list(space().grid())[:2]


def test_a_study_is_a_place_and_a_name() -> None:
    assert Study(Path("x"), "a") == Study(Path("x"), "a") != Study(Path("x"), "b")
