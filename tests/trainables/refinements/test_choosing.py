"""Choosing among draws: enough of them, what is kept and refused told as it is, and the price of a sample."""

from __future__ import annotations

from math import inf

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainables.refinements.known_pair import proposals
from trainables.refinements import REFINEMENTS, Proposals
from trainables.refinements.choosing import SHOWN, Choosing, enough
from trainables.refinements.mh import MetropolisHastings
from trainables.refinements.obrs import Obrs
from trainables.refinements.rejection import Rejection

MEMBERS = {name: kind for name, kind in REFINEMENTS.loaded().items() if issubclass(kind, Choosing)}
every = pytest.mark.parametrize("kind", MEMBERS.values(), ids=MEMBERS)
budgets = st.one_of(st.floats(1.001, 20), st.sampled_from([1.5, 2.0, 4.0]))


@settings(max_examples=60)
@given(st.integers(1, 10_000), st.floats(1, 100))
def test_enough_draws_are_six_deviations_more_than_are_needed(samples: int, budget: float) -> None:
    size = enough(samples, budget)
    kept = size / budget
    deviation = (size / budget * (1 - 1 / budget)) ** 0.5
    assert kept - samples >= 5.9 * deviation * (samples / kept) ** 0.5
    assert size <= budget * (samples + 6 * samples**0.5) + 1


@every
@settings(max_examples=25)
@given(budget=budgets, seed=st.integers(0, 10_000), samples=st.integers(1, 80))
def test_samples_are_the_first_draws_that_are_kept(
    kind: type[Choosing], budget: float, seed: int, samples: int
) -> None:
    member = kind(budgets=(budget,))
    pool = proposals(member.proposals(samples), seed)
    size = member.due(samples, budget)
    log_ratio, uniform = pool.log_ratio[None, :size], pool.uniform[None, :size]
    keep = member.kept(log_ratio, uniform, member.constants(log_ratio, budget), budget)[0]
    (found,) = member.refine(pool, samples)
    assert found.places is not None
    assert found.places.tolist() == keep.nonzero().flatten()[:samples].tolist()
    assert found.acceptance == pytest.approx(int(keep.sum()) / size)
    assert found.cost.draws == found.cost.scores == pytest.approx(size / int(keep.sum()))
    assert found.cost.gradients == 0
    refused = pool.points[:size][~keep].flatten()
    assert found.rejected is not None
    assert found.rejected.flatten().tolist() == sorted(refused.tolist())[:SHOWN], "the least likely first"


@every
@settings(max_examples=25)
@given(budget=budgets, seed=st.integers(0, 10_000), samples=st.integers(0, 30))
def test_draws_that_are_spent_are_those_up_to_the_last_sample(
    kind: type[Choosing], budget: float, seed: int, samples: int
) -> None:
    """Whoever has only the draws that are spent keeps the same samples, and those that are settled are all of them."""
    member = kind(budgets=(budget,))
    pool = proposals(member.due(30, budget) + 7, seed)
    log_ratio, uniform = pool.log_ratio[None], pool.uniform[None]
    constants = member.constants(log_ratio, budget)
    keep = member.kept(log_ratio, uniform, constants, budget)[0]
    samples = min(samples, int(keep.sum()))
    spent = member.spent(keep, samples, budget)
    assert int(keep[:spent].sum()) == samples
    again = member.kept(log_ratio[:, :spent], uniform[:, :spent], constants, budget)[0]
    assert torch.equal(again, keep[:spent])
    settled = member.settled(keep, budget)
    assert int(keep[:settled].sum()) == int(keep.sum())
    assert spent <= settled <= len(keep)


@every
def test_a_budget_of_one_keeps_every_draw_whatever_its_ratio(kind: type[Choosing]) -> None:
    log_ratio = torch.tensor([[-inf, -5.0, 0.0, 3.0, inf, inf, -inf, 2.0]])
    uniform = torch.full(log_ratio.shape, 1.0)
    member = kind()
    constants = member.constants(log_ratio, 1.0)
    keep = member.kept(log_ratio, uniform, constants, 1.0)
    assert bool(keep.all())
    assert member.spent(keep[0], 5, 1.0) == 5
    assert member.settled(keep[0], 1.0) == 8


@every
def test_a_pool_that_is_too_small_gives_what_it_can(kind: type[Choosing]) -> None:
    for count in (1, 3, 40, 200):
        (found,) = kind(budgets=(4.0,)).refine(proposals(count), 500)
        assert found.places is not None
        assert found.rejected is not None
        assert len(found.places) == len(found.points) <= count
        assert len(found.rejected) == min(SHOWN, count - len(found.points))
        assert found.acceptance == pytest.approx(len(found.points) / count)


def test_a_pool_that_keeps_nothing_costs_without_end() -> None:
    pool = Proposals(torch.zeros(2, 1), torch.full((2,), torch.nan), torch.full((2,), 0.5))
    (found,) = Obrs(budgets=(4.0,)).refine(pool, 2)
    assert found.cost.draws == found.cost.scores == inf
    assert (found.acceptance, len(found.points)) == (0.0, 0)


def test_plain_rejection_takes_the_largest_ratio_also_where_it_is_infinite() -> None:
    # Limits, as for OBRS: draws at which r = ∞ are the only ones that are not refused.
    log_ratio = torch.tensor([[0.0, inf, 1.0, -inf, inf, 0.0, 5.0, 3.0]])
    uniform = torch.full(log_ratio.shape, 0.5)
    member = Rejection()
    keep = member.kept(log_ratio, uniform, member.constants(log_ratio, 6.0), 6.0)
    assert keep[0].nonzero().flatten().tolist() == [1, 4]


def test_chains_that_begin_at_real_points_need_some() -> None:
    pool = proposals(100)
    bare = Proposals(pool.points, pool.log_ratio, pool.uniform)
    with pytest.raises(ValueError, match=r"no real points are at hand; use start: draw$"):
        list(MetropolisHastings(start="real").refine(bare, 20))
    assert len(list(MetropolisHastings(start="real").refine(proposals(400), 20))) == 3
