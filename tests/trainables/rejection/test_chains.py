"""Chains of Metropolis and Hastings: the same as one draw after the other, and of the law of the Markov chain."""

from __future__ import annotations

from math import floor, inf, log

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.trainables.precision_recall.laws import Pair, law_pairs
from tests.trainables.rejection import exact_laws
from trainables.rejection.chains import ends_of_chains

budgets = st.one_of(
    st.floats(1, 12), st.sampled_from([1.0, 2.0, 3.0, 1.5, 100.0]), st.integers(11, 40).map(lambda k: k / 10)
)
log_ratios = st.one_of(st.just(-inf), st.sampled_from([0.0, 1.0]), st.floats(-5, 5))


def one_by_one(log_r: list[float], uniform: list[float], budget: float, real: list[float]) -> list[int]:
    """Ends of chains, one draw after the other; they begin at ``real`` ones where there are some."""
    found = []
    for number in range(len(log_r) + 1):
        draws = range(floor(number * budget), floor((number + 1) * budget))
        if draws.stop > len(log_r):
            break
        end = None
        if real:
            end = walked(log_r, uniform, draws, None, real[number % len(real)])
        if end is None:
            end = walked(log_r, uniform, draws[1:], draws[0], log_r[draws[0]])
        assert end is not None
        found.append(end)
    return found


def walked(
    log_r: list[float], uniform: list[float], draws: range, end: int | None, state: float
) -> int | None:
    for draw in draws:
        if log(uniform[draw]) <= log_r[draw] - state:
            end, state = draw, log_r[draw]
    return end


@settings(max_examples=80)
@given(
    values=st.lists(st.lists(log_ratios, min_size=30, max_size=30), min_size=1, max_size=3),
    count=st.integers(0, 30),
    real=st.lists(log_ratios, max_size=4),
    budget=budgets,
    seed=st.integers(0, 10**6),
)
@example(values=[[0.0] * 30], count=30, real=[], budget=1.1, seed=0)
@example(values=[[-inf] * 30], count=30, real=[-inf], budget=3.0, seed=0)
def test_it_is_what_one_draw_after_the_other_gives(
    values: list[list[float]], count: int, real: list[float], budget: float, seed: int
) -> None:
    log_r = torch.tensor(values)[:, :count]
    uniform = 1 - torch.rand(log_r.shape, generator=torch.Generator().manual_seed(seed))
    beside = torch.tensor([real] * len(values)) if real else None
    kept = ends_of_chains(log_r, uniform, budget, beside)
    assert kept.shape == log_r.shape
    assert kept.dtype == torch.bool
    expected = [
        one_by_one(own, u, budget, torch.tensor(real).tolist())
        for own, u in zip(log_r.tolist(), uniform.tolist(), strict=True)
    ]
    assert [row.nonzero().flatten().tolist() for row in kept] == expected


@given(count=st.integers(1, 3000), budget=budgets)
@example(count=30, budget=1.1)
@example(count=45, budget=2.2)
def test_as_many_chains_end_as_their_draws_suffice_for(count: int, budget: float) -> None:
    draws = floor(count * budget)
    uniform = torch.full((1, draws), 0.5)
    assert int(ends_of_chains(torch.zeros(1, draws), uniform, budget).sum()) == count


@settings(max_examples=60)
@given(
    cut=st.integers(0, 30), real=st.lists(log_ratios, max_size=4), budget=budgets, seed=st.integers(0, 10**6)
)
@example(cut=1, real=[], budget=1.5, seed=0)
@example(cut=3, real=[0.0, 5.0], budget=2.5, seed=0)
def test_chains_go_on_where_others_ended(cut: int, real: list[float], budget: float, seed: int) -> None:
    """After ``cut`` chains, the rest of the draws ends the chains that it would have ended with all of them."""
    generator = torch.Generator().manual_seed(seed)
    log_r = 2 * torch.randn(2, 90, generator=generator)
    uniform = 1 - torch.rand(2, 90, generator=generator)
    beside = torch.tensor([real] * 2) if real else None
    at = floor(cut * budget)
    whole = ends_of_chains(log_r, uniform, budget, beside)
    rest = ends_of_chains(log_r[:, at:], uniform[:, at:], budget, beside, before=cut)
    assert torch.equal(rest, whole[:, at:])


def test_fewer_draws_than_a_chain_end_none() -> None:
    for real in (None, torch.zeros(2, 5)):
        kept = ends_of_chains(torch.zeros(2, 3), torch.full((2, 3), 0.5), 4.0, real)
        assert kept.shape == (2, 3)
        assert not kept.any()


@given(values=st.lists(log_ratios, min_size=1, max_size=20), real=st.none() | log_ratios)
def test_at_a_budget_of_one_every_draw_is_an_end(values: list[float], real: float | None) -> None:
    beside = None if real is None else torch.tensor([[real]])
    uniform = torch.full((1, len(values)), 0.5)
    assert ends_of_chains(torch.tensor([values]), uniform, 1.0, beside).all()


@settings(max_examples=40)
@given(pair=law_pairs(max_size=6), steps=st.integers(1, 9))
def test_the_law_of_the_data_is_stationary_where_the_ratio_is_exact(pair: Pair, steps: int) -> None:
    """What is tested here is the exact law that samples are compared with below."""
    p, q = pair
    p = np.where(q > 0, p, 0.0)
    if not p.sum():
        return
    p = p / p.sum()
    np.testing.assert_allclose(p @ exact_laws._step(q, exact_laws.ratio(p, q)), p, atol=1e-12)
    # From data, what leaves is data; only those that stay begin elsewhere.
    law = exact_laws.chain_from_real(p, q, exact_laws.ratio(p, q), float(steps))
    assert law.sum() == pytest.approx(1.0)
    assert np.abs(law - p).sum() <= np.abs(q - p).sum() + 1e-9


P, Q = np.array([0.1, 0.2, 0.3, 0.4, 0.0]), np.array([0.3, 0.3, 0.2, 0.05, 0.15])


@pytest.mark.parametrize("start", ["draw", "real"])
@pytest.mark.parametrize("budget", [1.0, 1.5, 2.0, 3.75, 20.0])
def test_samples_are_of_the_law_of_the_chain(start: str, budget: float) -> None:
    chains = 30_000
    generator = torch.Generator().manual_seed(3)
    r = torch.from_numpy(exact_laws.ratio(P, Q))
    count = floor(chains * budget)
    drawn = torch.multinomial(torch.from_numpy(Q), count, replacement=True, generator=generator)
    real = torch.multinomial(torch.from_numpy(P), chains, replacement=True, generator=generator)
    uniform = 1 - torch.rand(1, count, generator=generator, dtype=torch.float64)
    beside = r[real].log()[None] if start == "real" else None
    ends = drawn[ends_of_chains(r[drawn].log()[None], uniform, budget, beside)[0]]
    assert len(ends) == chains
    law = (
        exact_laws.chain_from_real(P, Q, r.numpy(), budget)
        if start == "real"
        else exact_laws.chain(Q, r.numpy(), budget)
    )
    assert law.sum() == pytest.approx(1.0)
    found = np.bincount(ends, minlength=5)
    assert exact_laws.fits(found, law) > 1e-3
    other = exact_laws.chain(Q, r.numpy(), budget + 1)
    assert exact_laws.fits(found, other) < 1e-6 or budget == 20


def test_long_chains_end_at_the_data() -> None:
    r = exact_laws.ratio(P, Q)
    before = 1.0
    for budget in (1.0, 2.0, 8.0, 64.0):
        apart = float(np.abs(exact_laws.chain(Q, r, budget) - P).sum())
        from_real = float(np.abs(exact_laws.chain_from_real(P, Q, r, budget) - P).sum())
        assert from_real <= apart + 1e-12
        assert apart < before
        before = apart
    assert before < 1e-3


def test_real_points_are_taken_in_turn_and_never_kept() -> None:
    # Of two real points the first is never left (r = ∞), and the second at once (r = 0).
    log_r = torch.tensor([[0.0, -5.0, 0.0, -5.0, 0.0, -5.0, 0.0, -5.0]])
    uniform = torch.full(log_r.shape, 0.5)
    kept = ends_of_chains(log_r, uniform, 2.0, torch.tensor([[inf, -inf]]))
    assert kept[0].nonzero().flatten().tolist() == [0, 2, 4, 6]
    leaves_late = torch.tensor([[-5.0, 0.0, 0.0, -5.0]])
    kept = ends_of_chains(leaves_late, uniform[:, :4], 4.0, torch.tensor([[0.0]]))
    assert kept[0].nonzero().flatten().tolist() == [2]
