"""Truncated latents: the law of normal numbers that are drawn again until they lie within ±ψ, as one in K does."""

from __future__ import annotations

from math import inf

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from trainables.rejection.truncation import psi_of, truncated

budgets = st.floats(1, 1e6)


@given(budgets)
def test_one_number_in_k_lies_within_psi(budget: float) -> None:
    psi = psi_of(budget)
    inside = float(stats.norm.cdf(psi) - stats.norm.cdf(-psi)) if psi < inf else 1.0
    assert inside == pytest.approx(1 / budget, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(("budget", "psi"), [(1.0, inf), (2.0, 0.6745), (4.0, 0.3186)])
def test_psi_at_budgets_that_are_told(budget: float, psi: float) -> None:
    assert psi_of(budget) == pytest.approx(psi, abs=1e-4)


@given(st.lists(st.floats(-12, 12), min_size=1, max_size=40), budgets)
def test_numbers_keep_their_rank_and_their_sign_and_move_towards_the_origin(
    numbers: list[float], budget: float
) -> None:
    latent = torch.tensor(numbers, dtype=torch.float64)
    found = truncated(latent, budget)
    assert bool((found.abs() <= psi_of(budget) * (1 + 1e-9)).all())
    assert bool((found.abs() <= latent.abs() + 1e-12).all())
    assert bool((found * latent >= 0).all())
    assert bool((found[latent.argsort()].diff() >= 0).all())


@given(st.lists(st.floats(-6, 6), min_size=1, max_size=40))
def test_as_k_falls_to_one_nothing_moves(numbers: list[float]) -> None:
    latent = torch.tensor(numbers, dtype=torch.float64)
    assert torch.equal(truncated(latent, 1.0), latent)
    moved = [float((truncated(latent, 1 + step) - latent).abs().max()) for step in (1e-2, 1e-6, 1e-12)]
    assert moved[2] < 1e-3
    assert moved == sorted(moved, reverse=True)
    for kind in (torch.float32, torch.float64):
        assert truncated(latent.to(kind), 2.0).dtype == kind


@pytest.mark.parametrize("budget", [1.5, 4.0, 16.0])
def test_the_law_is_that_of_numbers_drawn_again_until_they_lie_within(budget: float) -> None:
    # A sound law would be refused for one seed in a million, and one whose ψ is 5 % off is refused.
    draws = 200_000
    latent = torch.randn(draws, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    psi = psi_of(budget)
    expected = stats.truncnorm(-psi, psi)
    found = truncated(latent, budget).numpy()
    assert stats.kstest(found, expected.cdf).pvalue > 1e-6
    assert stats.kstest(found, stats.truncnorm(-1.05 * psi, 1.05 * psi).cdf).pvalue < 1e-6
