"""A stream of refined samples: the same in pieces as at once, with every call counted, and sentences where it ends."""

from __future__ import annotations

import gc
import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from torch import Tensor
from torch.distributions import Normal

from tests.trainables.samplers.known_model import Known, of_ratios
from tests.trainables.samplers.streams import choosing, every, moving, stream
from trainables.refinements.budgeted import Budgeted
from trainables.refinements.choosing import Choosing
from trainables.refinements.dgflow import DGFlow
from trainables.refinements.dot import Dot
from trainables.refinements.drs import Drs
from trainables.refinements.mh import MetropolisHastings
from trainables.refinements.moving import Moving
from trainables.refinements.obrs import Obrs
from trainables.samplers.constants import tuned
from trainables.samplers.refining import FEWEST, PATIENCE, Refining

GRID = np.linspace(-9, 9, 200_001)
Law = tuple[tuple[float, float, float], ...]
"""Weights, means and widths of normal laws."""
budgets = st.one_of(st.floats(1, 9), st.sampled_from([1.0, 1.5, 2.0, 4.0, 1.1]))


@every
def test_at_a_budget_of_one_every_draw_is_a_sample(method: Budgeted) -> None:
    drawn = torch.cat([pool.points for pool, _ in zip(Known().pools(0), range(4), strict=False)])
    points, ledger = stream(Known(), method, 1.0, 900)
    assert torch.equal(points, drawn[:900])
    assert (ledger.samples, ledger.draws, ledger.scores, ledger.gradients) == (900, 900, 0, 0)
    assert ledger.acceptance == 1.0


@choosing
@settings(max_examples=40)
@given(block=st.integers(1, 70), budget=budgets, seed=st.integers(0, 10_000))
def test_in_blocks_of_any_size_the_samples_are_those_of_one_pool(
    method: Choosing, block: int, budget: float, seed: int
) -> None:
    draws = 200
    log_ratio = 2 * torch.randn(draws, generator=torch.Generator().manual_seed(seed))
    constants = method.constants(log_ratio[None], budget)
    (pool,) = of_ratios(log_ratio, draws).pools(seed)
    keep = method.kept(log_ratio[None], pool.uniform[None], constants, budget)[0]
    refining = Refining(of_ratios(log_ratio, block), method, budget, constants, seed)
    pieces = list(refining.pieces(draws + 1))  # never enough: the draws come to their end
    found = torch.cat([piece.points for piece in pieces])[:, 0]
    assert found.tolist() == keep.nonzero().flatten().tolist()
    refused = torch.cat([piece.refused for piece in pieces])[:, 0]
    assert refused.tolist() == [at for at in range(refining.ledger.draws) if not keep[at]]
    assert refining.ledger.draws == method.settled(keep, budget)
    # Fewer samples are the first of these, and cost the draws up to the last of them.
    wanted = int(keep.sum()) // 2
    if wanted:
        points, ledger = stream(of_ratios(log_ratio, block), method, budget, wanted, constants, seed)
        assert points[:, 0].tolist() == found[:wanted].tolist()
        assert ledger.draws == ledger.chosen_from == method.spent(keep, wanted, budget)
        assert ledger.scores == (ledger.draws if budget > 1 else 0)
        assert ledger.samples == wanted
        assert ledger.acceptance == wanted / ledger.draws


@every
@pytest.mark.parametrize("budget", [1.0, 1.5, 5.0])
def test_no_block_is_made_that_nobody_needs(method: Budgeted, budget: float) -> None:
    constants = tuned(Known(), method, budget, 512, seed=1000)
    model = Known(64)
    _, ledger = stream(model, method, budget, 100, constants)
    assert model.blocks == -(-ledger.draws // 64) if isinstance(method, Choosing) else 2
    again = Known(64)
    assert list(Refining(again, method, budget, constants).pieces(0)) == []
    assert again.blocks == 0


@every
def test_equal_seeds_give_equal_samples_and_others_give_others(method: Budgeted) -> None:
    constants = tuned(Known(), method, 3.0, 1024, seed=1000)
    one, other, third = (stream(Known(), method, 3.0, 200, constants, seed)[0] for seed in (1, 1, 2))
    assert torch.equal(one, other)
    assert not set(one.flatten().tolist()) & set(third.flatten().tolist())


def test_a_stream_may_begin_at_a_later_block() -> None:
    constants = tuned(Known(), Obrs(), 2.0, 1024, seed=1000)
    whole = torch.cat([p.points for p in Refining(Known(64), Obrs(), 2.0, constants, 5).pieces(300)])
    later = torch.cat([p.points for p in Refining(Known(64), Obrs(), 2.0, constants, 5, first=3).pieces(100)])
    begins = next(at for at in range(len(whole)) if whole[at] == later[0])
    assert begins > 50
    assert torch.equal(whole[begins : begins + 100], later)


@moving
def test_draws_of_later_blocks_are_moved_in_their_place(method: Moving) -> None:
    constants = tuned(Known(), method, 3.0, 512, seed=1000)
    whole, _ = stream(Known(64), method, 3.0, 192, constants, seed=5)
    later = torch.cat([p.points for p in Refining(Known(64), method, 3.0, constants, 5, first=2).pieces(64)])
    assert torch.equal(later, whole[128:])


@every
def test_classes_stay_with_their_samples(method: Budgeted) -> None:
    model = Known(64, classes=3)
    of_draw = {}
    for pool, _ in zip(Known(64, classes=3).pools(4), range(40), strict=False):
        assert pool.classes is not None
        of_draw |= dict(zip(pool.points[:, 0].tolist(), pool.classes.tolist(), strict=True))
    constants = tuned(model, method, 2.5, 512, seed=1000)
    seen = []
    for piece in Refining(model, method, 2.5, constants, 4).pieces(300):
        assert piece.classes is not None
        assert len(piece.classes) == len(piece.points)
        seen += piece.classes.tolist()
        if isinstance(method, Choosing):
            assert piece.classes.tolist() == [of_draw[x] for x in piece.points[:, 0].tolist()]
    if isinstance(method, Moving):
        assert seen == list(of_draw.values())[:300]


@pytest.mark.parametrize("method", [Obrs(), Drs(), MetropolisHastings()], ids=lambda m: m.name)
@pytest.mark.parametrize("budget", [1.0, 1.5, 2.0, 4.0, 8.0, 16.0])
def test_one_draw_in_k_is_kept_of_fresh_draws(method: Choosing, budget: float) -> None:
    """Within three standard errors, those of the pool on which constants were found among them.

    A draw's acceptance has variance at most s(1 - s), s = 1/K, in either pool: √(s(1 - s)(1/n + 1/N)) bounds the error.
    Of 8 seeds more than 2 beyond three of them come about with a probability of some 10⁻⁶, (8 choose 3) 0.0027³.
    """
    samples, pool, seeds = 2000, 60_000, range(8)
    share, beyond = 1 / budget, 0
    for seed in seeds:
        log_ratio, fresh = (
            torch.randn(size, generator=torch.Generator().manual_seed(one))
            for size, one in ((pool, 100 + seed), (int(samples * budget * 1.3) + 100, 200 + seed))
        )
        constants = tuned(of_ratios(log_ratio, 4096), method, budget, pool, seed)
        _, ledger = stream(of_ratios(fresh, 4096), method, budget, samples, constants, seed)
        assert ledger.samples == samples
        error = (share * (1 - share) * (1 / ledger.draws + 1 / pool)) ** 0.5
        beyond += abs(ledger.acceptance - share) > 3 * error + 1e-12
        if isinstance(method, MetropolisHastings):
            assert ledger.draws == int(samples * budget)
    assert beyond <= 2


def alive() -> int:
    """Bytes of all tensors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of objects that warn when they are looked at
        tensors = [one for one in gc.get_objects() if issubclass(type(one), Tensor)]
    return sum({one.data_ptr(): one.untyped_storage().nbytes() for one in tensors}.values())


@every
def test_memory_does_not_grow_with_the_number_of_samples(method: Budgeted) -> None:
    constants = tuned(Known(mean=0.25, numbers=16), method, 2.0, 512, seed=1000)
    before, most = alive(), []
    for count in (5000, 50_000):
        model = Known(1000, mean=0.25, numbers=16)
        pieces = Refining(model, method, 2.0, constants).pieces(count)
        most.append(max(alive() - before for at, _ in enumerate(pieces) if at % (count // 1000) == 1))
    assert 64_000 < most[0] < 2_000_000, "a block and what goes on from the one before, nothing else"
    assert most[1] < 1.2 * most[0]


@choosing
@pytest.mark.parametrize("budget", [2.0, 30.0])
def test_what_is_held_from_block_to_block_is_no_more_than_one_sample_takes(
    method: Choosing, budget: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[int] = []
    kept = type(method).kept

    def counted(self: Choosing, log_ratio: Tensor, *given: object, **named: object) -> Tensor:
        held.append(log_ratio.shape[1] - 16)
        return kept(self, log_ratio, *given, **named)  # type: ignore[arg-type]

    constants = tuned(Known(), method, budget, 512, seed=1000)
    monkeypatch.setattr(type(method), "kept", counted)
    stream(Known(16), method, budget, 400, constants)
    assert len(held) > 20
    assert max(held) < budget + 1


@pytest.mark.parametrize("method", [Obrs(), Drs()], ids=lambda m: m.name)
def test_patience_ends_where_constants_foretold_far_more(method: Choosing) -> None:
    constants = tuned(of_ratios(torch.randn(500)), method, 4.0, 500, seed=0)
    later = of_ratios(torch.full((PATIENCE * 10 * 4 + FEWEST + 3000,), -80.0), 512)
    with pytest.raises(ValueError, match=r".") as refusal:
        stream(later, method, 4.0, 500, constants)
    seen = -(-(PATIENCE * 4 + FEWEST + 1) // 512) * 512
    assert str(refusal.value) == (
        f"at budget K = 4 one draw in K is kept, but only 0 of {seen:,} were; the ratio of these draws is not that of "
        "those on which its constants were found: ask for a smaller budget"
    )


@pytest.mark.parametrize("method", [Dot(rate=1e6), DGFlow(rate=1e6)], ids=lambda m: m.name)
def test_moves_beyond_all_numbers_are_refused(method: Moving) -> None:
    steep = Known(ratio=lambda x: 1e3 * (x**4).sum(-1))
    with pytest.raises(ValueError, match=r".") as refusal:
        stream(steep, method, 20.0, 100)
    assert (
        str(refusal.value)
        == f"refinement '{method.name}' moved samples beyond all numbers; use a smaller rate"
    )


SHIFTED = ((1.0, 1.0, 1.0),)
MIXED = ((0.7, -1.0, 0.5), (0.3, 1.5, 0.4))


@pytest.mark.parametrize("law", [SHIFTED, MIXED], ids=["shifted", "mixed"])
@pytest.mark.parametrize("budget", [1.5, 3.0, 6.0])
def test_the_curve_of_refined_samples_is_the_stretched_one(law: Law, budget: float) -> None:
    """α_λ of what OBRS keeps is min(1, K α_{λ/K}) of the model's own (thesis, ch. 6), by samples with exact ratios.

    Q = N(0, 1), P a mixture of normal laws: α_λ = ∫ min(λp, q) of Q itself is known, and of what is kept, of density
    q̃ = q min(c r, 1)/E_Q[a], it is E_Q̃[min(λ p/q̃, 1)]. K E_Q[a] is 1 up to √((K-1)/N), as N draws have found c.
    """
    p = sum(weight * stats.norm(mean, width).pdf(GRID) for weight, mean, width in law)
    q = stats.norm.pdf(GRID)

    def log_ratio(x: Tensor) -> Tensor:
        parts = [
            Normal(mean, width).log_prob(x.double()) + torch.tensor(weight).log()
            for weight, mean, width in law
        ]
        return (torch.stack(parts).logsumexp(0) - Normal(0, 1).log_prob(x.double())).sum(-1)

    samples, pool = 20_000, 200_000
    constants = tuned(Known(2048, ratio=log_ratio), Obrs(), budget, pool, seed=7)
    points, _ = stream(Known(2048, ratio=log_ratio), Obrs(), budget, samples, constants, seed=8)
    r = log_ratio(points).exp().numpy()
    density = budget * np.minimum(float(constants[0, 0].exp()) * r, 1.0)  # q̃/q
    before = 0.0
    for lam in (0.1, 0.5, 1.0, 2.0, 10.0):
        each = np.minimum(lam * r / density, 1.0)
        own = float(np.trapezoid(np.minimum(lam / budget * p, q), GRID))
        error = each.std() / samples**0.5 + ((budget - 1) / pool) ** 0.5
        found = float(each.mean())
        assert found == pytest.approx(min(1.0, budget * own), abs=4 * error), lam
        plain = float(np.trapezoid(np.minimum(lam * p, q), GRID))
        assert found > plain - 4 * error
        before = max(before, found - plain)
    assert before > 0.05, "and that is more than the model had"
