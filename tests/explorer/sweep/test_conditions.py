"""An axis applies at members that have its field, and where its ``when`` says; what never applies is refused."""

from __future__ import annotations

import pytest

from explorer.sweep import load_sweep
from explorer.sweep.axes import Point
from tests.explorer.sweep.refusal import refusal


def grid(*assignments: str) -> list[Point]:
    sweep = load_sweep("demo", assignments)
    points = list(sweep.space.grid())
    assert len(points) == sweep.space.size()
    assert len({sweep.trial(point, 0).identity() for point in points}) == len(points), "no trial twice"
    return points


def test_an_axis_applies_at_the_members_that_have_its_field() -> None:
    assert grid("space={objective.lam: [1, 2, 4], objective.name: [kl, pr]}") == [
        {"objective.name": "kl"},
        *({"objective.name": "pr", "objective.lam": lam} for lam in (1, 2, 4)),
    ]
    space = "space={constraint.name: [none, spectral, clipping], constraint.lipschitz: [1, 2], constraint.limit: [0.1]}"
    assert [len(point) for point in grid(space)] == [1, 2, 2, 2]


def test_in_a_box_whose_member_lacks_it_an_axis_is_left_out() -> None:
    boxes = "space=[{objective.lam: [1, 2]}, {objective.name: [kl], objective.lam: [3, 4], training.ema: [0.5, 0.9]}]"
    assert grid(boxes)[2:] == [
        {"objective.name": "kl", "training.ema": 0.5},
        {"objective.name": "kl", "training.ema": 0.9},
    ]


def test_an_axis_applies_where_its_when_says() -> None:
    space = (
        "space={objective.lam: {choice: [1, 2], when: {constraint.name: spectral}}, "
        "constraint.name: [none, spectral]}"
    )
    assert grid(space) == [
        {"constraint.name": "none"},
        {"constraint.name": "spectral", "objective.lam": 1},
        {"constraint.name": "spectral", "objective.lam": 2},
    ]
    several = (
        "space={objective.lam: {choice: [1, 2], when: {constraint.name: [spectral, bjorck], training.ema: 0.9}}, "
        "constraint.name: [none, spectral, bjorck], training.ema: [0.5, 0.9]}"
    )
    assert sum("objective.lam" in point for point in grid(several)) == 4


def test_what_the_file_says_settles_a_condition() -> None:
    space = "space={objective.lam: {choice: [1, 2], when: {constraint.name: spectral, training.ema: 0.995}}}"
    assert len(grid(space, "constraint={name: spectral}")) == 2
    told = refusal(space, "constraint={name: none}")
    assert told.startswith(
        "space.objective.lam never applies: its 'when' asks for another constraint.name than 'none'"
    )


def test_options_of_a_section_settle_a_condition_on_its_fields() -> None:
    space = (
        "space={constraint: [{name: none}, {name: spectral, lipschitz: 2}, {name: spectral}], "
        "objective.lam: {choice: [1, 2], when: {constraint.lipschitz: 2}}}"
    )
    assert [len(point) for point in grid(space)] == [1, 2, 2, 1]


def test_conditions_follow_one_another() -> None:
    space = (
        "space={training.ema: {choice: [0.5, 0.9], when: {constraint.lipschitz: [1]}}, "
        "constraint.lipschitz: [1, 2], constraint.name: [none, spectral]}"
    )
    assert grid(space) == [
        {"constraint.name": "none"},
        {"constraint.name": "spectral", "constraint.lipschitz": 1, "training.ema": 0.5},
        {"constraint.name": "spectral", "constraint.lipschitz": 1, "training.ema": 0.9},
        {"constraint.name": "spectral", "constraint.lipschitz": 2},
    ]


def test_where_the_member_is_not_chosen_the_files_own_counts() -> None:
    space = (
        "space={constraint.name: {choice: [clipping], when: {training.ema: 0.5}}, training.ema: [0.5, 0.9], "
        "constraint.lipschitz: [1, 2]}"
    )
    points = grid(space, "constraint={name: spectral}")
    assert points == [
        {"training.ema": 0.5, "constraint.name": "clipping"},
        {"training.ema": 0.9, "constraint.lipschitz": 1},
        {"training.ema": 0.9, "constraint.lipschitz": 2},
    ]


CASES = {
    "space={objective.lam: {choice: [1], when: {constraint.name: r1}}, constraint.name: [none, spectral]}": (
        "space.objective.lam never applies: no value of constraint.name in the space is one"
    ),
    "space={objective.lam: {choice: [1], when: {training.ema: 0.5}}, training.ema: {range: [0.1, 0.9]}}": (
        "space.objective.lam.when.training.ema must be an axis of listed values or of steps"
    ),
    "space={objective.lam: {choice: [1], when: {training.ema: 0.5}}, training.ema: {choice: [0.5], "
    "when: {objective.lam: 1}}}": "conditions of a space must not go in a circle",
}


@pytest.mark.parametrize("assignment", CASES)
def test_each_fault_gets_its_sentence(assignment: str) -> None:
    assert CASES[assignment] in refusal(assignment)
