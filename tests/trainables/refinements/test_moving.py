"""Moving draws: as many samples as draws, block by block, for calls that a budget pays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests.trainables.refinements.known_pair import BLOCK, log_ratio, proposals
from trainables.refinements import REFINEMENTS, Block, Proposals
from trainables.refinements.dgflow import DGFlow
from trainables.refinements.dot import Dot
from trainables.refinements.hard_truncation import HardTruncation
from trainables.refinements.moving import Moving
from trainables.refinements.soft_truncation import SoftTruncation
from trainables.rejection.truncation import psi_of

MEMBERS = {name: kind for name, kind in REFINEMENTS.loaded().items() if issubclass(kind, Moving)}
every = pytest.mark.parametrize("kind", MEMBERS.values(), ids=MEMBERS)


class Calls:
    """A model that counts how many points pass through its networks."""

    def __init__(self, draws: int) -> None:
        self.pool = proposals(draws)
        self.generated = self.scored = self.gradients = 0

    def proposals(self) -> Proposals:
        return replace(self.pool, blocks=self._blocks)

    def _blocks(self, count: int) -> Iterator[Block]:
        assert self.pool.blocks is not None
        for block in self.pool.blocks(count):
            yield replace(block, generate=self._generate, log_ratio=self._score)

    def _generate(self, z: Tensor) -> Tensor:
        self.generated += z.shape[1]
        return 1.0 * z

    def _score(self, x: Tensor) -> Tensor:
        self.scored += x.shape[1]
        found = log_ratio(x)
        if found.requires_grad:
            found.register_hook(self._pulled)
        return found

    def _pulled(self, gradient: Tensor) -> None:
        self.gradients += gradient.shape[1]


@every
@pytest.mark.parametrize("budget", [1.5, 2.0, 3.5, 8.0])
def test_calls_are_those_that_are_told(kind: type[Moving], budget: float) -> None:
    member, samples = kind(budgets=(budget,)), 600
    calls = Calls(samples)
    (found,) = member.refine(calls.proposals(), samples)
    told = found.cost
    assert told == member.cost(budget)
    # Transport begins at the draw itself, and so does a flow without steps; all others make what they give away.
    as_drawn = kind is Dot or (kind is DGFlow and told.gradients == 0)
    assert calls.generated == (told.draws - as_drawn) * samples
    # What constants are found on is scored once, whatever the number of samples.
    once = BLOCK if kind is Dot else 0
    assert calls.scored == told.scores * samples + once
    assert calls.gradients == told.gradients * samples


@given(budget=st.floats(1, 10_000))
@pytest.mark.parametrize("kind", [Dot, DGFlow])
def test_steps_are_the_most_that_a_budget_pays(kind: type[Dot] | type[DGFlow], budget: float) -> None:
    member = kind()
    cost = member.cost(budget)
    calls = cost.draws + cost.scores + cost.gradients
    assert calls <= 2 * budget
    assert calls + (2 if kind is Dot else 3) > 2 * budget
    assert member.cost(1.0).scores == 0


@every
def test_samples_do_not_depend_on_how_many_are_made(kind: type[Moving]) -> None:
    member, pool = kind(budgets=(2.0, 6.0)), proposals(900)
    for few, many in zip(member.refine(pool, 300), member.refine(pool, 900), strict=True):
        assert few.points.shape == (300, 1)
        assert torch.equal(few.points, many.points[:300])
        assert few.places is not None
        assert few.places.tolist() == list(range(300)), "of the same classes as the draws"
        assert few.acceptance == 1.0


@every
def test_draws_that_are_only_draws_cannot_be_moved(kind: type[Moving]) -> None:
    bare = replace(proposals(100), blocks=None)
    with pytest.raises(ValueError, match=r".") as refusal:
        list(kind().refine(bare, 50))
    assert str(refusal.value) == (
        f"refinement '{kind.name}' moves draws by calling the generator and the critic, and only draws are at hand; "
        "use one that chooses among draws, such as obrs"
    )


def test_truncation_draws_nearer_to_the_origin() -> None:
    pool = proposals(2000)
    for one in SoftTruncation(budgets=(2.0, 8.0)).refine(pool, 2000):
        torch.testing.assert_close(one.points, pool.points / one.budget)
    for one in HardTruncation(budgets=(2.0, 8.0)).refine(pool, 2000):
        assert float(one.points.abs().max()) <= psi_of(one.budget)
        assert torch.equal(one.points[:, 0].argsort(), pool.points[:, 0].argsort())


def test_a_flow_without_noise_goes_uphill_by_its_rate() -> None:
    # d = x - 1/2 and kl: every step adds η.
    pool = proposals(500)
    (found,) = DGFlow(budgets=(8.0,), rate=0.1, noise=0.0).refine(pool, 500)
    torch.testing.assert_close(found.points, pool.points + 0.1 * 5)
    (noisy,) = DGFlow(budgets=(8.0,), rate=0.1, noise=0.5).refine(pool, 500)
    assert float((noisy.points - found.points).std()) == pytest.approx((5 * 2 * 0.1 * 0.5) ** 0.5, rel=0.1)


def test_transport_takes_its_first_step_where_the_distance_has_no_slope() -> None:
    # L = 1, the slope of d: after the first step what is gained is what the distance costs.
    pool = proposals(600)
    spread = float(pool.points[:BLOCK].double().var(correction=0).sqrt())
    one, other = Dot(budgets=(1.5, 9.0), rate=0.1).refine(pool, 600)
    torch.testing.assert_close(one.points, pool.points + 0.1 * spread, atol=1e-3, rtol=0)
    torch.testing.assert_close(other.points, one.points, atol=2e-3, rtol=0)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"rate": 0.0}, r"refinement\.rate must be positive and finite, got 0\.0"),
        ({"rate": float("nan")}, r"refinement\.rate must be positive and finite, got nan"),
        ({"rate": 1e9}, r"refinement\.rate must be at most 1,000,000\.0, got 1000000000\.0"),
    ],
)
@pytest.mark.parametrize("kind", [Dot, DGFlow])
def test_rates_are_positive_numbers(
    kind: type[Dot] | type[DGFlow], fields: dict[str, float], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        kind(rate=fields["rate"])


@pytest.mark.parametrize("noise", [-0.1, float("inf"), float("nan")])
def test_noise_is_not_negative(noise: float) -> None:
    with pytest.raises(ValueError, match=r"refinement\.noise must be ≥ 0, got .*; 0 adds none"):
        DGFlow(noise=noise)
