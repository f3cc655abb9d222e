"""OBRS keeps one draw in K, the best ones, and needs a pool that is large enough."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainables.refinements import Proposals
from trainables.refinements.obrs import Obrs
from trainables.rejection.obrs import obrs_acceptance


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), budget=st.floats(1.05, 8))
def test_what_is_kept_is_decided_by_the_optimal_acceptance(seed: int, budget: float) -> None:
    generator = torch.Generator().manual_seed(seed)
    member, samples = Obrs(budgets=(budget,)), 60
    size = member.proposals(samples)
    ratio = 2 * torch.randn(size, generator=generator)
    uniform = 1 - torch.rand(size, generator=generator)
    points = torch.arange(size)[:, None]
    (refined,) = member.refine(Proposals(points, ratio, uniform), samples)
    kept = (uniform <= obrs_acceptance(ratio, budget)).nonzero()[:, 0]
    assert refined.points[:, 0].tolist() == kept[:samples].tolist()
    assert refined.acceptance == len(kept) / size
    assert refined.cost.draws == refined.cost.scores == pytest.approx(size / len(kept))
    assert refined.cost.gradients == 0.0


def test_the_refined_law_is_nearer_to_the_data() -> None:
    # Q = N(0, 1), P = N(1, 1): K large enough makes the samples P's.
    generator = torch.Generator().manual_seed(0)
    member, samples = Obrs(budgets=(1.5, 8)), 2000
    x = torch.randn(member.proposals(samples), 1, generator=generator)
    uniform = 1 - torch.rand(len(x), generator=generator)
    little, much = member.refine(Proposals(x, x[:, 0] - 0.5, uniform), samples)
    assert 0.2 < float(little.points.mean()) < float(much.points.mean())
    assert float(much.points.mean()) == pytest.approx(1.0, abs=0.1)


def test_a_smaller_budget_reads_the_beginning_of_the_same_pool() -> None:
    generator = torch.Generator().manual_seed(1)
    both, one = Obrs(budgets=(2, 4)), Obrs(budgets=(2,))
    x = torch.randn(both.proposals(100), 1, generator=generator)
    pool = Proposals(x, x[:, 0], 1 - torch.rand(len(x), generator=generator))
    assert one.proposals(100) < both.proposals(100)
    first = next(both.refine(pool, 100))
    assert torch.equal(first.points, next(one.refine(pool, 100)).points)


def test_budgets_are_asked_once_and_one_is_the_model_as_it_is() -> None:
    assert Obrs(budgets=(4, 2, 2, 1.5, 1)).asked() == (1.5, 2.0, 4.0)
    assert Obrs(budgets=(1,)).asked() == ()
    assert Obrs(budgets=(1,)).proposals(50) == 50
    assert Obrs().budgets == (1.0, 1.5, 2.0, 4.0)
