"""What every search must do: so many points of the space, the same for equal seeds, and all of them again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.search import SEARCHES, Search, Study
from explorer.search.grid import Grid
from explorer.search.nsga2 import Nsga2
from explorer.search.points.source import PointSource
from explorer.search.random import Random
from explorer.search.tpe import Tpe
from explorer.sweep.members import build_member
from tests.explorer.search.spaces import assert_inside, space

MEMBERS: list[Search] = [
    Grid(),
    Random(trials=6, seed=3),
    Tpe(trials=6, seed=3),
    Nsga2(trials=6, seed=3),
]
"""One of each; a new search is one line here."""

COUNT = 6
GOALS = {"precision": "max", "recall": "max", "fid": "min"}

each = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)


def study(folder: Path, name: str = "study") -> Study:
    return Study(folder / "studies.db", name)


def told(number: int) -> list[dict[str, float]]:
    return [{"precision": 0.1 * number, "recall": 0.5, "fid": 1.0 + number}]


def walk(source: PointSource) -> list[tuple[int, object]]:
    """Ask one by one and tell what came of it."""
    seen = []
    while asked := source.ask(1):
        seen.append((asked[0].number, asked[0].point))
        source.tell(asked[0].number, told(asked[0].number))
    return seen


def test_every_search_is_listed() -> None:
    assert sorted(member.name for member in MEMBERS) == sorted(SEARCHES)


@each
def test_the_plain_form_survives_json(member: Search) -> None:
    plain = json.loads(json.dumps(member.plain()))
    assert build_member(SEARCHES, plain, "search") == member
    assert {goal.metric: goal.direction for goal in member.goals()} == GOALS


@each
def test_as_many_points_as_asked_for_all_of_the_space(member: Search, tmp_path: Path) -> None:
    source = member.source(space(), COUNT, study(tmp_path))
    assert source.total == COUNT
    seen = walk(source)
    assert len(seen) == COUNT
    assert len({number for number, _ in seen}) == COUNT, "every point has a number of its own"
    for _, point in seen:
        assert_inside(point)  # type: ignore[arg-type]
    assert source.ask(10) == [], "nothing after the total"


@each
def test_asking_for_more_than_there_are_gives_the_rest(member: Search, tmp_path: Path) -> None:
    source = member.source(space(), COUNT, study(tmp_path))
    assert [len(source.ask(4)), len(source.ask(4)), len(source.ask(4))] == [4, 2, 0]


@each
def test_equal_seeds_give_equal_points(member: Search, tmp_path: Path) -> None:
    one, two = (walk(member.source(space(), COUNT, study(tmp_path, name))) for name in ("a", "b"))
    assert one == two


@each
def test_a_restart_goes_through_the_same_points(member: Search, tmp_path: Path) -> None:
    before = member.source(space(), COUNT, study(tmp_path))
    first = before.ask(4)
    for one in first[:2]:
        before.tell(one.number, told(one.number))
    after = member.source(space(), COUNT, study(tmp_path))
    again = after.ask(4)
    assert again == first
    for one in again:
        after.tell(one.number, told(one.number))
    assert len(after.ask(100)) == COUNT - 4


@each
def test_a_plan_needs_no_study_and_has_as_many_points(member: Search) -> None:
    planned = member.source(space(), COUNT, None)
    assert len(planned.ask(100)) == planned.total == COUNT


@each
def test_points_can_be_written_down(member: Search, tmp_path: Path) -> None:
    for one in member.source(space(), COUNT, study(tmp_path)).ask(COUNT):
        assert json.loads(json.dumps(one.point)) == one.point


@each
def test_a_failed_point_does_not_stop_it(member: Search, tmp_path: Path) -> None:
    source = member.source(space(), COUNT, study(tmp_path))
    for one in source.ask(3):
        source.tell(one.number, [])
        source.tell(one.number, [])
    assert len(source.ask(100)) == COUNT - 3
