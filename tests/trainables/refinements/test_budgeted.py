"""Budgets are asked once, ascending, and what is none is refused with a sentence."""

from __future__ import annotations

from math import inf, nan

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.trainables.refinements.known_pair import proposals
from trainables.refinements import REFINEMENTS
from trainables.refinements.budgeted import BUDGETS, LARGEST_BUDGET, MOST_BUDGETS, Budgeted, check_budget
from trainables.refinements.dot import Dot
from trainables.refinements.obrs import Obrs

MEMBERS = {name: kind for name, kind in REFINEMENTS.loaded().items() if issubclass(kind, Budgeted)}
every = pytest.mark.parametrize("kind", MEMBERS.values(), ids=MEMBERS)


@given(st.lists(st.floats(1, LARGEST_BUDGET), max_size=20))
def test_every_budget_is_asked_once_and_one_is_not(budgets: list[float]) -> None:
    asked = Obrs(budgets=tuple(budgets)).asked()
    assert set(asked) == set(budgets) - {1.0}
    assert list(asked) == sorted(asked)


@pytest.mark.parametrize("budget", [0.999, 0.0, -3.0, nan, inf])
def test_what_is_no_budget_is_refused(budget: float) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        check_budget(budget)
    assert str(refusal.value) == f"budget K must be ≥ 1, got {budget:g}; use K=1 to accept every sample"


@every
def test_a_budget_is_at_most_the_largest_of_its_method(kind: type[Budgeted]) -> None:
    assert kind(budgets=(1.0, kind.largest)).asked() == (kind.largest,)
    with pytest.raises(ValueError, match=r".") as refusal:
        kind(budgets=(2.0, 2 * kind.largest))
    said = f"budget K must be at most {kind.largest:,}, got {2.0 * kind.largest}; use a smaller one"
    assert str(refusal.value) == said


@every
def test_all_are_read_at_the_same_budgets_unless_told_otherwise(kind: type[Budgeted]) -> None:
    assert kind().budgets == BUDGETS
    assert kind().asked() == BUDGETS[1:]


def test_budgets_are_not_without_number() -> None:
    assert len(Obrs(budgets=tuple(range(1, MOST_BUDGETS + 1))).budgets) == MOST_BUDGETS
    with pytest.raises(ValueError, match=r"the number of refinement\.budgets must be at most 100, got 101"):
        Obrs(budgets=(2.0,) * (MOST_BUDGETS + 1))


@every
def test_one_model_is_refined_as_a_stack_of_one(kind: type[Budgeted]) -> None:
    member = kind(budgets=(1.5, 3.0))
    pool = proposals(member.proposals(200))
    for one, other in zip(member.refine(pool, 200), member.refine_all(pool.stacked(), 200)[0], strict=True):
        assert torch.equal(one.points, other.points)
        assert one.budget == other.budget


def test_whoever_asks_for_nothing_gets_nothing() -> None:
    for member in (Obrs(budgets=(1.0,)), Dot(budgets=())):
        assert list(member.refine(proposals(10), 10)) == []
        assert member.proposals(10) == 10
