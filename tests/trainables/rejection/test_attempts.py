"""Attempts that are limited: the same as one draw after the other, and of the law that follows from it."""

from __future__ import annotations

import struct
from math import ceil, floor

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.trainables.rejection import exact_laws
from trainables.randomness import hashed_uniforms
from trainables.rejection.attempts import kept_of_attempts

budgets = st.one_of(st.floats(1, 12), st.sampled_from([1.0, 2.0, 3.0, 1.5, 1e9]))


def one_by_one(accepted: list[bool], uniform: list[float], budget: float) -> list[bool]:
    """Attempts, one draw after the other."""
    kept, tried, limit = [], 0, 0
    for good, u in zip(accepted, uniform, strict=True):
        if not tried:
            (bits,) = struct.unpack("<i", struct.pack("<f", u))
            longer = float(hashed_uniforms(torch.tensor(bits), (1,))) <= budget - floor(budget)
            limit = floor(budget) + longer
        tried += 1
        kept.append(good or tried == limit)
        tried = 0 if kept[-1] else tried
    return kept


@settings(max_examples=80)
@given(
    seed=st.integers(0, 10**6),
    trials=st.integers(1, 3),
    count=st.integers(0, 70),
    rate=st.sampled_from([0.0, 0.05, 0.3, 0.8, 1.0]),
    budget=budgets,
    kind=st.sampled_from([torch.float32, torch.float64]),
)
@example(seed=0, trials=1, count=64, rate=0.0, budget=1.0, kind=torch.float32)
@example(seed=0, trials=2, count=65, rate=0.0, budget=64.0, kind=torch.float32)
def test_it_is_what_one_draw_after_the_other_gives(
    seed: int, trials: int, count: int, rate: float, budget: float, kind: torch.dtype
) -> None:
    generator = torch.Generator().manual_seed(seed)
    uniform = 1 - torch.rand(trials, count, generator=generator).to(kind)
    accepted = torch.rand(trials, count, generator=generator) < rate
    kept = kept_of_attempts(accepted, uniform, budget)
    assert kept.dtype == torch.bool
    expected = [one_by_one(*row, budget) for row in zip(accepted.tolist(), uniform.tolist(), strict=True)]
    assert kept.tolist() == expected


def test_a_view_with_strides_is_read_as_its_numbers() -> None:
    generator = torch.Generator().manual_seed(0)
    both = 1 - torch.rand(40, 2, 3, generator=generator)
    uniform, accepted = both[:, :, 1].T, both[:, :, 2].T < 0.2
    plain = kept_of_attempts(accepted.contiguous(), uniform.contiguous(), 2.5)
    assert torch.equal(kept_of_attempts(accepted, uniform, 2.5), plain)


@given(accepted=st.lists(st.booleans(), max_size=40))
def test_at_a_budget_of_one_every_draw_is_a_sample(accepted: list[bool]) -> None:
    assert kept_of_attempts(torch.tensor([accepted]).bool(), torch.full((1, len(accepted)), 0.5), 1.0).all()


@given(accepted=st.lists(st.booleans(), min_size=1, max_size=40))
def test_without_a_limit_those_that_are_accepted_are_the_samples(accepted: list[bool]) -> None:
    draws = torch.tensor([accepted])
    assert torch.equal(kept_of_attempts(draws, torch.full(draws.shape, 0.5), 41.0), draws)


@pytest.mark.parametrize("budget", [1.3, 2.0, 4.75])
@pytest.mark.parametrize("rate", [0.02, 0.4])
def test_an_attempt_takes_as_many_draws_as_it_must_and_at_most_k_on_average(
    budget: float, rate: float
) -> None:
    count = 100_000
    generator = torch.Generator().manual_seed(1)
    uniform = 1 - torch.rand(1, count, generator=generator)
    accepted = torch.rand(1, count, generator=generator) < rate
    places = kept_of_attempts(accepted, uniform, budget)[0].nonzero().flatten()
    draws = torch.cat((places[:1] + 1, places.diff())).double()
    assert int(draws.max()) <= ceil(budget)
    _, expected = exact_laws.attempt(np.array([rate, 1 - rate]), np.array([1.0, 0.0]), budget)
    error = float(draws.std()) / len(draws) ** 0.5
    assert float(draws.mean()) == pytest.approx(expected, abs=5 * error)
    assert expected <= budget


@pytest.mark.parametrize("budget", [1.0, 1.4, 3.0, 5.5])
def test_samples_are_of_the_law_of_one_attempt(budget: float) -> None:
    q, r = np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.0, 0.5, 1.0, 4.0])
    count = 100_000
    generator = torch.Generator().manual_seed(4)
    drawn = torch.multinomial(torch.from_numpy(q), count, replacement=True, generator=generator)
    uniform = 1 - torch.rand(count, generator=generator)
    # The same uniforms also decide how long one tries.
    accepted = uniform <= torch.from_numpy(r / r.max())[drawn]
    kept = drawn[kept_of_attempts(accepted[None], uniform[None], budget)[0]]
    law, _ = exact_laws.attempt(q, r / r.max(), budget)
    assert exact_laws.fits(np.bincount(kept, minlength=4), law) > 1e-3
    assert exact_laws.fits(np.bincount(kept, minlength=4), q) < 1e-6 or budget == 1
