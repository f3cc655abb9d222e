"""Every refinement: budgets beyond 1 in order, samples of the pool, and the rate that was promised."""

from __future__ import annotations

import pytest
import torch

from tests.trainables.family_contract import (
    check_every_name_is_listed,
    check_imports_without_torch,
    check_member,
)
from trainables.refinements import REFINEMENTS, Proposals, Refinement
from trainables.refinements.none import AsItIs
from trainables.refinements.obrs import Obrs

MEMBERS: list[Refinement] = [
    AsItIs(),
    Obrs(budgets=(4, 1, 1.5, 2, 2.0)),
]
KEEPS_ONE_IN_K = {"obrs"}
"""Those that promise to keep one draw in K on average."""
every = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
SAMPLES = 400


def proposals(count: int, seed: int = 0) -> Proposals:
    """Q = N(0, 1), P = N(1, 1): log r = x - 1/2."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count, 1, generator=generator)
    return Proposals(x, x[:, 0] - 0.5, 1 - torch.rand(count, generator=generator))


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
    known = set(pool.points[:, 0].tolist())
    for one in refined:
        assert one.points.shape == (SAMPLES, 1)  # enough proposals for a full set
        assert set(one.points[:, 0].tolist()) <= known
        assert 0 < one.acceptance <= 1
        assert one.cost.draws >= 1
        if member.name in KEEPS_ONE_IN_K:
            size = one.budget * (SAMPLES + 6 * SAMPLES**0.5)
            error = (1 / one.budget * (1 - 1 / one.budget) / size) ** 0.5
            assert one.acceptance == pytest.approx(1 / one.budget, abs=5 * error)
            assert one.cost.draws == pytest.approx(1 / one.acceptance)


@every
def test_proposals_are_enough_for_any_number_of_samples(member: Refinement) -> None:
    assert member.proposals(SAMPLES) >= SAMPLES
    for seed in range(5):
        for samples in (10, 50):
            pool = proposals(member.proposals(samples), seed)
            assert all(len(one.points) == samples for one in member.refine(pool, samples))


@every
def test_refining_twice_gives_the_same(member: Refinement) -> None:
    pool = proposals(member.proposals(SAMPLES))
    for one, other in zip(member.refine(pool, SAMPLES), member.refine(pool, SAMPLES), strict=True):
        assert torch.equal(one.points, other.points)


@every
def test_the_method_is_named_without_its_budgets(member: Refinement) -> None:
    assert member.method_signature() == [member.name, member.version, {}]
