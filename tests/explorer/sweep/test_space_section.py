"""The section ``space``: what is no space is refused in one sentence."""

from __future__ import annotations

import pytest

from explorer.sweep.axes import Condition, Interval, Listed, as_text
from explorer.sweep.space_section import parse_space
from tests.explorer.sweep.refusal import refusal

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
    "space={objective.lam: {choice: [1], when: 3}}": "space.objective.lam.when must map paths to values, such as",
    "space={objective.lam: {choice: [1], when: {}}}": "space.objective.lam.when must map paths to values, such as",
    "space={objective.lam: {choice: [1], when: {constraint.nam: x}}}": "unknown path 'constraint.nam' in "
    "space.objective.lam.when; did you mean 'constraint.name'?",
    "space={objective.lam: {choice: [1], when: {constraint: x}}}": "unknown path 'constraint' in",
    "space={objective.lam: {choice: [1], when: {objective.lam: 1}}}": "must name another axis, got 'objective.lam'",
    "space={objective.lam: {choice: [1], when: {constraint.name: []}}}": "a condition needs at least one value",
    "space={objective.lam: {when: {constraint.name: none}}}": "exactly one of choice, range, log_range",
}


@pytest.mark.parametrize("assignment", CASES)
def test_each_fault_gets_its_sentence(assignment: str) -> None:
    assert CASES[assignment] in refusal(assignment)


def test_axes_are_read_with_their_conditions() -> None:
    raw = {
        "a.x": {"log_range": [0.1, 10], "when": {"b.name": "u", "b.y": [1, 2]}},
        "b": {"choice": [{"name": "u"}], "when": {"a.x": 3}},
    }
    (box,) = parse_space(
        raw | {"b": raw["b"] | {"when": {"b.y": 1}}}, {"a.x": False, "b.name": False, "b.y": True, "b": False}
    ).boxes
    assert box["a.x"] == Interval(
        0.1, 10.0, log=True, whole=False, steps=None,
        when=(Condition("b.name", frozenset({'"u"'})), Condition("b.y", frozenset(map(as_text, (1, 2))))),
    )  # fmt: skip
    assert box["b"] == Listed(({"name": "u"},), when=(Condition("b.y", frozenset({"1.0"})),))


def test_no_space_is_one_point() -> None:
    assert list(parse_space(None, {}).grid()) == [{}]
