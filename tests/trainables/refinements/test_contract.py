"""Every refinement: budgets beyond 1 in order, samples of the pool, and the rate that was promised."""

from __future__ import annotations

from itertools import pairwise
from math import inf, nan

import pytest
import torch

from tests.trainables.family_contract import (
    check_every_name_is_listed,
    check_imports_without_torch,
    check_member,
)
from tests.trainables.refinements.known_pair import BLOCK, proposals, stacked
from trainables.evaluation.reading import Cost
from trainables.refinements import REFINEMENTS, Refinement
from trainables.refinements.budgeted import Budgeted
from trainables.refinements.choosing import Choosing
from trainables.refinements.dgflow import DGFlow
from trainables.refinements.dot import Dot
from trainables.refinements.drs import Drs
from trainables.refinements.hard_truncation import HardTruncation
from trainables.refinements.mh import MetropolisHastings
from trainables.refinements.moving import Moving
from trainables.refinements.none import AsItIs
from trainables.refinements.obrs import Obrs
from trainables.refinements.rejection import Rejection
from trainables.refinements.soft_truncation import SoftTruncation

BUDGETS = (4.0, 1.0, 1.5, 2.0, 2.0)
MEMBERS: list[Refinement] = [
    AsItIs(),
    Obrs(budgets=BUDGETS),
    Drs(budgets=BUDGETS),
    Rejection(budgets=BUDGETS),
    MetropolisHastings(budgets=BUDGETS),
    Dot(budgets=BUDGETS, rate=0.1),
    DGFlow(budgets=BUDGETS, rate=0.1),
    SoftTruncation(budgets=BUDGETS),
    HardTruncation(budgets=BUDGETS),
]
KEEPS_ONE_IN_K = {"obrs", "drs", "mh"}
"""Those that promise to keep one draw in K on average."""
TOWARDS = {"obrs", "drs", "rejection", "mh", "dot", "dgflow"}
"""Those that bring samples nearer to the data by their ratio."""
every = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
budgeted = pytest.mark.parametrize(
    "member", [m for m in MEMBERS if isinstance(m, Budgeted)], ids=lambda m: m.name
)
SAMPLES = 1000


def test_every_refinement_is_under_the_contract() -> None:
    check_every_name_is_listed(REFINEMENTS, MEMBERS)


def test_refinements_are_named_without_torch() -> None:
    check_imports_without_torch("trainables.refinements")


@every
def test_a_refinement_is_a_member(member: Refinement) -> None:
    check_member(REFINEMENTS, member)


@every
def test_budgets_are_beyond_one_and_ascending(member: Refinement) -> None:
    asked = member.asked()
    assert all(budget > 1 for budget in asked)
    assert list(asked) == sorted(set(asked))


@every
def test_every_budget_is_met_in_order(member: Refinement) -> None:
    pool = proposals(member.proposals(SAMPLES))
    refined = list(member.refine(pool, SAMPLES))
    assert tuple(one.budget for one in refined) == member.asked()
    for one in refined:
        assert one.points.shape == (SAMPLES, 1)  # enough proposals for a full set
        if isinstance(member, Choosing):
            assert one.places is not None
            assert torch.equal(one.points, pool.points[one.places])
            assert (one.places.diff() > 0).all()
        assert 0 < one.acceptance <= 1
        assert one.cost.draws >= 1
        calls = one.cost.draws + one.cost.scores + one.cost.gradients
        if not isinstance(member, Choosing):  # those keep to it on average
            assert calls <= 2 * one.budget
        assert calls <= 2.4 * one.budget
        if member.name in KEEPS_ONE_IN_K:
            size = one.budget * (SAMPLES + 6 * SAMPLES**0.5)
            error = (1 / one.budget * (1 - 1 / one.budget) / size) ** 0.5
            assert one.acceptance == pytest.approx(1 / one.budget, abs=5 * error)
            assert one.cost.draws == pytest.approx(1 / one.acceptance)


@every
def test_proposals_are_enough_for_any_number_of_samples(member: Refinement) -> None:
    assert member.proposals(SAMPLES) >= SAMPLES
    for seed in range(5):
        for samples in (10, 50, 3000):
            pool = proposals(member.proposals(samples), seed)
            assert all(len(one.points) == samples for one in member.refine(pool, samples))


@every
def test_refining_twice_gives_the_same(member: Refinement) -> None:
    pool = proposals(member.proposals(SAMPLES))
    for one, other in zip(member.refine(pool, SAMPLES), member.refine(pool, SAMPLES), strict=True):
        assert torch.equal(one.points, other.points)


@every
def test_the_method_is_named_without_its_budgets(member: Refinement) -> None:
    fields = {name: value for name, value in member.changed().items() if name != "budgets"}
    assert member.method_signature() == [member.name, member.version, fields]


@budgeted
def test_a_budget_of_one_is_the_model_as_it_is(member: Budgeted) -> None:
    # Asked for directly: a reading at K = 1 is the plain one, and nobody is asked.
    pool = proposals(1000).stacked()
    if isinstance(member, Choosing):
        constants = member.constants(pool.log_ratio, 1.0)
        assert member.kept(pool.log_ratio, pool.uniform, constants, 1.0).all()
        return
    assert isinstance(member, Moving)
    assert pool.blocks is not None
    assert member.cost(1.0) == Cost()
    for start, block in zip(range(0, 1000, BLOCK), pool.blocks(1000), strict=True):
        moved = member.moved(block, member.constants(block), 1.0)
        assert torch.equal(moved, pool.points[:, start : start + BLOCK])


@budgeted
def test_a_stack_is_refined_as_each_of_its_models(member: Budgeted) -> None:
    alone = [proposals(member.proposals(SAMPLES), seed) for seed in (1, 2)]
    together = stacked(alone)
    for one, both in zip(alone, member.refine_all(together, SAMPLES), strict=True):
        for expected, found in zip(member.refine(one, SAMPLES), both, strict=True):
            torch.testing.assert_close(found.points, expected.points, rtol=1e-6, atol=1e-6)
            assert (found.budget, found.cost, found.acceptance) == (
                expected.budget,
                expected.cost,
                expected.acceptance,
            )


@budgeted
def test_budgets_bring_samples_nearer_to_the_data(member: Budgeted) -> None:
    # Q = N(0, 1), P = N(1, 1): the mean tells how near.
    means = [0.0, *(float(one.points.mean()) for one in member.refine(proposals(40_000), 4000))]
    if member.name in TOWARDS:
        # Of plain rejection, with M = e^3.5, most attempts are given up.
        assert means[-1] > {"rejection": 0.05, "dot": 0.05, "dgflow": 0.15}.get(member.name, 0.5)
        assert all(later >= earlier - 0.05 for earlier, later in pairwise(means))
    else:
        assert max(map(abs, means)) < 0.1, "truncation knows nothing of the data"


@budgeted
@pytest.mark.parametrize("budget", [0.5, nan, inf, -1.0])
def test_budgets_below_one_are_refused(member: Budgeted, budget: float) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        type(member)(budgets=(2.0, budget))
    assert str(refusal.value) == f"budget K must be ≥ 1, got {budget:g}; use K=1 to accept every sample"
