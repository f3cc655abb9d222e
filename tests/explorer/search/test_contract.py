"""What every search must do: so many points of the space, the same for equal seeds, and all of them again."""

from __future__ import annotations

import json

import pytest

from explorer.search import SEARCHES, Search, Study
from explorer.search.gp import Gp
from explorer.search.grid import Grid
from explorer.search.nsga2 import Nsga2
from explorer.search.nsga3 import Nsga3
from explorer.search.points.source import PointSource
from explorer.search.random import Random
from explorer.search.sobol import Sobol
from explorer.search.tpe import Tpe
from explorer.sweep.members import build_member
from explorer.sweep.space import Space
from tests.explorer.search.spaces import KeptMemo, assert_inside, space, wide

MEMBERS: list[Search] = [
    Grid(),
    Random(trials=6, seed=3),
    Sobol(trials=6, seed=3),
    Tpe(trials=6, seed=3, batch=4),
    Gp(trials=6, seed=3, batch=4, warm_start="other"),
    Nsga2(trials=6, seed=3, batch=4, population=4, constraints={"recall": ">= 0.3"}),
    Nsga3(trials=6, seed=3, batch=4, population=4, warm_start=["one", "two"]),
]
"""One of each; a new search is one line here."""

COUNT = 6
GOALS = {"precision": "max", "recall": "max", "fid": "min"}

each = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)


def told(number: int) -> list[dict[str, float]]:
    return [{"precision": 0.1 * number, "recall": 0.5, "fid": 1.0 + number}]


def roomy(member: Search) -> Space:
    """A space in which points are hardly ever repeated, but for a grid."""
    return space() if isinstance(member, Grid) else wide()


def walk(source: PointSource) -> list[tuple[int, object]]:
    """Ask one by one and tell what came of it."""
    seen = []
    while asked := source.ask(1):
        assert len(asked) == 1
        seen.append((asked[0].number, asked[0].point))
        source.tell(asked[0].number, told(asked[0].number))
    assert source.over
    return seen


def test_every_search_is_listed() -> None:
    assert sorted(member.name for member in MEMBERS) == sorted(SEARCHES)


@each
def test_the_plain_form_survives_json(member: Search) -> None:
    plain = json.loads(json.dumps(member.plain()))
    assert build_member(SEARCHES, plain, "search") == member
    assert {goal.metric: goal.direction for goal in member.goals()} == GOALS


@each
def test_as_many_points_as_asked_for_all_of_the_space(member: Search) -> None:
    source = member.source(space(), COUNT, Study())
    assert source.total == COUNT
    assert not source.over
    seen = walk(source)
    assert len(seen) == len({json.dumps(point) for _, point in seen}) == COUNT, "no point twice"
    assert len({number for number, _ in seen}) == COUNT, "every point has a number of its own"
    for _, point in seen:
        assert_inside(point)  # type: ignore[arg-type]
    assert source.ask(10) == [], "nothing after the total"
    assert source.note == ""


@each
def test_one_that_learns_waits_for_answers_and_others_give_all_at_once(member: Search) -> None:
    source = member.source(roomy(member), COUNT, Study())
    first = source.ask(100)
    assert len(first) == (member.flight() or COUNT)
    if member.learns:
        assert source.ask(100) == []
        assert not source.over, "it waits"
        source.tell(first[1].number, told(1))
        assert source.ask(100) == [], "the first answer is still missing"
        source.tell(first[0].number, told(0))
        assert len(source.ask(100)) == 2
    assert source.over


@each
def test_equal_seeds_give_equal_points(member: Search) -> None:
    one, two = (walk(member.source(space(), COUNT, Study())) for _ in range(2))
    assert one == two


@each
def test_a_restart_goes_through_the_same_points(member: Search) -> None:
    memo = KeptMemo()
    before = member.source(roomy(member), COUNT, Study(memo))
    first = before.ask(4)
    for one in first[:2]:
        before.tell(one.number, told(one.number))
    after = member.source(roomy(member), COUNT, Study(memo))
    again = after.ask(4)
    assert again == first
    for one in again:
        after.tell(one.number, told(one.number))
    assert len(after.ask(100)) == COUNT - 4


@each
def test_a_plan_does_not_wait_writes_nothing_and_has_as_many_points(member: Search) -> None:
    memo = KeptMemo()
    planned = member.source(space(), COUNT, Study(memo, dry=True))
    asked = planned.ask(100) + planned.ask(100)
    assert len(asked) == len({json.dumps(one.point) for one in asked}) == planned.total == COUNT
    assert planned.over
    assert memo.saved == 0


@each
def test_points_can_be_written_down(member: Search) -> None:
    for one in member.source(space(), COUNT, Study()).ask(COUNT):
        assert json.loads(json.dumps(one.point)) == one.point


@each
def test_a_failed_point_does_not_stop_it(member: Search) -> None:
    source = member.source(space(), COUNT, Study())
    for one in source.ask(3):
        source.tell(one.number, [])
        source.tell(one.number, [])
    rest = source.ask(100)
    for one in rest:
        source.tell(one.number, [{"precision": float("nan"), "recall": 0.1, "fid": 1.0}])
    assert len(rest) + len(source.ask(100)) == COUNT - 3
