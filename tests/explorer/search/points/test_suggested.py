"""Suggestions are the same for any order of answers and for kills at any moment; repetitions do not count."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.search import Search, Study
from explorer.search.gp import Gp
from explorer.search.nsga2 import Nsga2
from explorer.search.nsga3 import Nsga3
from explorer.search.points.source import PointSource
from explorer.search.random import Random
from explorer.search.sobol import Sobol
from explorer.search.tpe import Tpe
from explorer.sweep.axes import Interval, Listed, Point, as_text
from explorer.sweep.space import Space
from tests.explorer.search.spaces import KeptMemo, branched, scored

LEARNING: list[Search] = [
    Tpe(trials=1, seed=1, batch=3),
    Nsga2(trials=1, seed=1, batch=3, population=4, constraints={"recall": ">= 0.4"}),
    Nsga3(trials=1, seed=1, batch=4, population=4),
]
COUNT = 20
"""Enough for every one of them to learn: Parzen estimators begin after 10 + 3 - 1 points."""

learning = pytest.mark.parametrize("member", LEARNING, ids=lambda member: member.name)
fast = settings(max_examples=12)


def undisturbed(member: Search, count: int = COUNT, space: Space | None = None) -> dict[int, Point]:
    source = member.source(space or branched(), count, Study())
    asked: dict[int, Point] = {}
    while one := source.ask(1):
        asked[one[0].number] = one[0].point
        source.tell(one[0].number, scored(one[0].point))
    return asked


REFERENCE = {member.name: undisturbed(member) for member in LEARNING}


acts = st.tuples(st.sampled_from(["ask", "answer", "answer", "answer", "kill", "lose"]), st.integers(0, 9))


@learning
@fast
@given(script=st.lists(acts, max_size=80))
def test_whatever_the_order_of_answers_and_whenever_it_is_killed_it_suggests_the_same(
    member: Search, script: list[tuple[str, int]]
) -> None:
    memo, known, asked = KeptMemo(), dict[str, list[dict[str, float]]](), dict[int, Point]()
    source = member.source(branched(), COUNT, Study(memo))
    flying: dict[int, Point] = {}
    acting = iter(script)
    while not source.over or flying:
        act, which = next(acting, ("answer" if flying else "ask", 0))
        if act == "ask":
            for one in source.ask(1 + which):
                assert asked.setdefault(one.number, one.point) == one.point
                if as_text(one.point) in known:  # its trials are over: it is answered at once
                    source.tell(one.number, known[as_text(one.point)])
                else:
                    flying[one.number] = one.point
            assert len(flying) <= (member.flight() or 0)
        elif act == "answer" and flying:
            number = sorted(flying)[which % len(flying)]
            point = flying.pop(number)
            known[as_text(point)] = scored(point)
            source.tell(number, known[as_text(point)])
        elif act in ("kill", "lose"):
            if act == "lose":
                memo.text = None
            flying.clear()
            source = member.source(branched(), COUNT, Study(memo))
    assert asked == REFERENCE[member.name]


def test_gaussian_processes_go_on_after_a_kill_as_they_would_have() -> None:
    member = Gp(trials=1, seed=2, batch=2, objectives={"precision": "max", "recall": "max"})
    line = Space(({"objective.lam": Interval(0.01, 100.0, log=True, whole=False, steps=None)},))
    memo, asked = KeptMemo(), list[Point]()
    whole = member.source(line, 13, Study())
    reference = [one.point for one in answered(whole, 13)]
    for stop in (11, 12, 13):
        source = member.source(line, 13, Study(memo))
        asked = [one.point for one in answered(source, stop)]
    assert asked == reference


def answered(source: PointSource, count: int) -> list[object]:
    seen = []
    while len(seen) < count and (one := source.ask(1)):
        seen += one
        lam = one[0].point["objective.lam"]
        source.tell(one[0].number, [{"precision": lam / (1 + lam), "recall": 1 / (2 + lam)}])
    return seen


@learning
def test_an_extended_search_has_exactly_so_many_points_and_keeps_the_first(member: Search) -> None:
    memo, all_known = KeptMemo(), dict[str, list[dict[str, float]]]()
    counts, first = [], []
    for total in (6, 12, 18):
        source = member.source(branched(), total, Study(memo))
        seen = []
        while not source.over:
            for one in source.ask(3):
                seen.append(one.point)
                source.tell(one.number, all_known.setdefault(as_text(one.point), scored(one.point)))
        assert seen[: len(first)] == first
        first = seen
        counts.append(len(all_known))
    assert counts == [6, 12, 18]
    assert first == list(REFERENCE[member.name].values())[:18], "as if nobody had stopped"


@learning
def test_results_that_changed_meanwhile_change_nothing_that_was_asked(member: Search) -> None:
    memo = KeptMemo()
    before = member.source(branched(), COUNT, Study(memo))
    asked = []
    while not before.over:
        for one in before.ask(100):
            asked.append(one)
            before.tell(one.number, scored(one.point))
    after = member.source(branched(), COUNT + 6, Study(memo))
    again = []
    while not after.over:
        for one in after.ask(100):
            again.append(one)
            after.tell(one.number, [] if one.number % 2 else scored({**one.point, "model.latent": 1}))
    assert again[: len(asked)] == asked
    assert len(again) == COUNT + 6


SMALL = Space(({"x": Listed((1, 2, 3)), "y": Listed(("a", "b"))},))

searches = pytest.mark.parametrize(
    "member",
    [*LEARNING, Random(trials=1), Sobol(trials=1), Gp(trials=1, batch=2)],
    ids=lambda member: member.name,
)


def distinct(
    member: Search, space: Space, total: int, study: Study | None = None
) -> tuple[list[str], PointSource]:
    source = member.source(space, total, study or Study())
    seen = []
    while not source.over:
        for one in source.ask(100):
            seen.append(as_text(one.point))
            metrics = {goal.metric: float(one.point["x"]) for goal in member.goals()}
            source.tell(one.number, [metrics])
    return seen, source


@searches
def test_a_repetition_does_not_count(member: Search) -> None:
    seen, source = distinct(member, SMALL, 5)
    assert len(seen) == len(set(seen)) == 5
    assert source.note == ""


@searches
def test_a_space_that_is_exhausted_ends_the_search_with_a_sentence(member: Search) -> None:
    seen, source = distinct(member, SMALL, 50)
    assert len(seen) == len(set(seen)) == 6
    assert source.note == "the search is over after 6 of 50 points: its space has no others"


@searches
def test_points_that_lead_to_the_same_trials_are_one(member: Search) -> None:
    seen, source = distinct(member, SMALL, 50, Study(key=lambda point: str(point["x"])))
    assert len({json.loads(text)["x"] for text in seen}) == len(seen) == 3
    assert "over after 3 of 50 points" in source.note


def test_a_search_that_finds_nothing_new_gives_up() -> None:
    whole = Space(({"x": Interval(1.0, 3.0, log=False, whole=True, steps=None)},))
    for member in (Random(trials=1), Nsga2(trials=1, population=4)):
        seen, source = distinct(member, whole, 50)
        assert len(seen) == 3
        assert source.note == (
            "the search is over after 3 of 50 points: 1,000 suggestions in a row brought nothing new"
        )


WIDER = {
    "a wider range": {"training.generator_lr": Interval(1e-5, 1e-1, log=True, whole=False, steps=None)},
    "more values": {"model.latent": Listed((1, 2, 4, 8))},
    "values in another order": {"model.latent": Listed((4, 2, 1))},
}


@pytest.mark.parametrize("how", WIDER)
@pytest.mark.parametrize(
    "member", [*LEARNING, Random(trials=1), Sobol(trials=1)], ids=lambda member: member.name
)
def test_a_wider_space_keeps_all_that_was_asked(member: Search, how: str) -> None:
    memo = KeptMemo()
    (box,) = branched().boxes

    def run(space: Space, total: int) -> list[Point]:
        source, seen = member.source(space, total, Study(memo)), []
        while not source.over:
            for one in source.ask(100):
                seen.append(one.point)
                source.tell(one.number, scored(one.point))
        return seen

    before = run(branched(), 14)
    after = run(Space(({**box, **WIDER[how]},)), 22)
    assert after[:14] == before
    assert len({as_text(point) for point in after}) == 22


@pytest.mark.parametrize("member", [*LEARNING, Random(trials=1)], ids=lambda member: member.name)
def test_points_outside_a_narrower_space_are_passed_over(member: Search) -> None:
    memo = KeptMemo()
    (box,) = branched().boxes
    narrow = Space(({**box, "model.latent": Listed((2, 4))},))
    seen: dict[str, list[Point]] = {}
    for name, space, total in (("wide", branched(), 16), ("narrow", narrow, 16), ("again", branched(), 20)):
        source = member.source(space, total, Study(memo))
        seen[name] = []
        while not source.over:
            for one in source.ask(100):
                seen[name].append(one.point)
                source.tell(one.number, scored(one.point))
    inside = [point for point in seen["wide"] if point["model.latent"] != 1]
    assert len(inside) < 16, "or nothing is tested"
    assert seen["narrow"][: len(inside)] == inside
    assert len(seen["narrow"]) == 16
    assert all(point["model.latent"] != 1 for point in seen["narrow"])
    assert seen["again"][:16] == seen["wide"], "what was asked stays asked"


def test_a_plan_replays_what_was_asked_and_foresees_the_rest() -> None:
    member, memo = LEARNING[1], KeptMemo()
    source = member.source(branched(), COUNT, Study(memo))
    asked = source.ask(100)
    text = memo.text
    planned = member.source(branched(), COUNT, Study(memo, dry=True))
    foreseen = []
    while found := planned.ask(100):
        foreseen += found
    assert foreseen[: len(asked)] == asked
    assert len({as_text(one.point) for one in foreseen}) == COUNT
    assert memo.text == text


def test_what_is_handed_out_is_written_down_before() -> None:
    memo = KeptMemo()
    for one in replace(LEARNING[0], batch=5).source(branched(), COUNT, Study(memo)).ask(4):  # type: ignore[call-arg]
        assert memo.text is not None
        assert json.loads(memo.text)["points"][one.number][0] == one.point
    assert memo.saved == 1
