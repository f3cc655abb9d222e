"""Spaces: grids are products and unions; ranges are what they say; what is no space is refused."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import UserError
from explorer.search.points.source import RandomSource
from explorer.sweep import load_sweep
from explorer.sweep.space import Interval, Listed, Space
from tests.explorer.sweep.refusal import refusal


def points(assignment: str, *more: str) -> list[dict[str, object]]:
    return list(load_sweep("demo", [assignment, *more]).space.grid())


def test_a_mapping_is_a_product_the_last_axis_fastest() -> None:
    grid = points("space={objective.lam: [1, 2], training.generator_lr: [0.1, 0.2]}")
    assert [tuple(p.values()) for p in grid] == [(1, 0.1), (1, 0.2), (2, 0.1), (2, 0.2)]


def test_a_list_is_a_union() -> None:
    grid = points("space=[{objective.lam: [1, 2]}, {objective.name: [kl, gan]}]")
    assert grid == [
        {"objective.lam": 1},
        {"objective.lam": 2},
        {"objective.name": "kl"},
        {"objective.name": "gan"},
    ]


def test_ranges_walk_from_end_to_end() -> None:
    assert [p["objective.lam"] for p in points("space={objective.lam: {log_range: [0.01, 100], steps: 5}}")] == [
        0.01, 0.1, 1.0, 10.0, 100.0,
    ]  # fmt: skip
    widths = points("space={training.batch_size: {range: [32, 64], steps: 3}}")
    assert [p["training.batch_size"] for p in widths] == [32, 48, 64]
    assert all(isinstance(p["training.batch_size"], int) for p in widths)


def test_a_whole_section_can_vary() -> None:
    sweep = load_sweep("demo", ["space={objective: [{name: pr, lam: 3}, {name: hinge}]}"])
    trials = [sweep.trial(point, 0) for point in sweep.space.grid()]
    assert [(t.objective.name, t.params().get("objective.lam")) for t in trials] == [
        ("pr", 3.0),
        ("hinge", None),
    ]


@given(low=st.floats(1e-3, 1.0), factor=st.floats(1.1, 1e4), log=st.booleans(), seed=st.integers(0, 100))
def test_random_draws_stay_inside(low: float, factor: float, log: bool, seed: int) -> None:
    axis = Interval(low, low * factor, log=log, whole=False, steps=None)
    drawn = RandomSource(Space(({"x": axis},)), 20, seed).ask(20)
    assert all(low * (1 - 1e-9) <= one.point["x"] <= low * factor * (1 + 1e-9) for one in drawn)
    again = RandomSource(Space(({"x": axis},)), 20, seed).ask(20)
    assert drawn == again, "a restart must find the same points"


CASES = {
    "space=[]": "space is empty",
    "space={}": "space is empty",
    "space=[3]": "space[0] must map dotted paths to axes",
    "space=[{training.ema: [0.9]}, {}]": "space[1] must map dotted paths to axes",
    "space={objective.lam: []}": "space.objective.lam is empty",
    "space={objective.lam: 3}": "write [3] for one value",
    "space={objective.lamb: [1]}": "unknown path 'objective.lamb' in space; did you mean 'objective.lam'?",
    "space={objective.lam: {log_range: [0, 1], steps: 3}}": "must start above 0",
    "space={objective.lam: {range: [3, 1], steps: 3}}": "low must be below high",
    "space={objective.lam: {range: [1]}}": "must be two numbers [low, high], got [1]",
    "space={objective.lam: {range: [1, .inf]}}": "low must be below high",
    "space={objective.lam: {range: [1, 3], step: 3}}": "unknown key 'step'",
    "space={objective.lam: {choice: [1], steps: 3}}": "space.objective.lam.steps belongs to a range",
    "space={objective: {choice: [{name: kl}], steps: 3}}": "space.objective is a section: list mappings",
    "space={objective.lam: {range: [1, 3], steps: 0}}": "steps of space.objective.lam.range must be a whole number",
    "space={objective.lam: {range: [1, 3], steps: true}}": "must be a whole number from 1 to 1000, got True",
    "space={objective.lam: {}}": "exactly one of choice, range, log_range",
    "space={objective.lam: {choice: [1], range: [1, 2]}}": "got ['choice', 'range']",
    "space={objective.lam: {choice: 3}}": "space.objective.lam.choice must be a list, got 3",
    "space={dataset: [gaussians8]}": "space.dataset is a section",
    "space={objective: [{name: pr}], objective.lam: [1]}": "varies both 'objective' and 'objective.lam'",
}


@pytest.mark.parametrize("assignment", CASES)
def test_each_fault_gets_its_sentence(assignment: str) -> None:
    assert CASES[assignment] in refusal(assignment)


def test_probes_combine_what_no_axis_refuses_alone() -> None:
    few = Space(({"a": Listed((1, 2)), "b": Listed((3, 4)), "c": Listed((5, 6))},))
    assert {tuple(point.values()) for point in few.probes()} == set(product((1, 2), (3, 4), (5, 6)))
    many = Space(({path: Listed(tuple(range(5))) for path in "abcdefg"},))  # 78,125 combinations
    visited = [tuple(point.values()) for point in many.probes()]
    pairs = {tuple(sorted(pair)) for pair in visited if sum(map(bool, pair)) <= 2}
    assert len(visited) == len(set(visited)) == 1 + 7 * 4 + 21 * 16
    assert len(pairs) == 1 + 4 + 10


def test_many_boxes_share_the_combinations_that_are_looked_at() -> None:
    box = {path: Interval(0.0, 1.0, log=False, whole=False, steps=None) for path in "abcdefghijkl"}
    space = Space((box,) * 100)  # 409,600 combinations
    alone = len(list(space.alone()))
    assert len(list(space.probes())) - alone == 100 * math.comb(12, 2)
    assert len(list(Space((box,)).probes())) == 13 + 2**12


def test_a_search_refuses_a_space_with_a_combination_that_cannot_be_trained() -> None:
    space = "space={model.name: [realnvp, mlp_gan], objective.name: [pr, mle]}"
    for search in ("random", "tpe", "nsga2"):
        with pytest.raises(
            UserError, match="objective 'mle' needs a likelihood, which model 'mlp_gan' lacks"
        ):
            load_sweep("demo", [space, f"search={{name: {search}, trials: 1}}"])


def test_probes_visit_the_ends_of_every_axis() -> None:
    space = Space(
        (
            {"a": Listed((1, 2, 3)), "b": Interval(0.0, 8.0, log=False, whole=True, steps=None)},
            {"c": Listed(("x",))},
        )
    )
    assert list(space.alone()) == [
        {"a": 1, "b": 0}, {"a": 2, "b": 0}, {"a": 3, "b": 0}, {"a": 1, "b": 8}, {"c": "x"}
    ]  # fmt: skip
    assert space.paths() == ["a", "b", "c"]


def test_probes_visit_no_value_that_the_steps_leave_out() -> None:
    one, three = (Interval(2.0, 5.0, log=False, whole=False, steps=steps) for steps in (1, 3))
    assert one.extremes() == [2.0]
    assert three.extremes() == [2.0, 5.0]


def test_steps_too_close_for_whole_numbers_are_visited_once() -> None:
    assert Interval(1.0, 3.0, log=False, whole=True, steps=9).values() == [1, 2, 3]
    assert Interval(2.0, 5.0, log=False, whole=False, steps=1).values() == [2.0]


def test_ends_are_those_given_and_close_values_stay_apart() -> None:
    assert Interval(0.0, 0.9999999, log=False, whole=False, steps=3).values() == [0.0, 0.5, 0.9999999]
    assert Interval(1.00000001, 1.00000002, log=False, whole=False, steps=3).values() == [
        1.00000001,
        1.000000015,
        1.00000002,
    ]
    assert Interval(1e6 + 1, 1e6 + 9, log=False, whole=True, steps=3).values() == [1000001, 1000005, 1000009]
    assert Interval(0.1, 0.7, log=False, whole=False, steps=4).values() == [0.1, 0.3, 0.5, 0.7]
