"""Rejection on known laws: OBRS is optimal, its curve is a stretch, its gain is guaranteed."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.trainables.precision_recall.laws import law_pairs
from trainables.divergences import DIVERGENCES, amari, pr
from trainables.precision_recall import curve_discrete, equiangular_grid
from trainables.rejection import (
    guaranteed_improvement,
    largest_ratio,
    refine_drs,
    refine_obrs,
    refine_plain,
    refined_law,
)

few = settings(max_examples=40)

Pair = tuple[np.ndarray, np.ndarray]
GRID = equiangular_grid(41)
FAMILY = {
    **DIVERGENCES,
    **{f"amari({a})": amari(a) for a in (-1.0, 0.3, 3.0)},
    **{f"pr({lam})": pr(lam) for lam in (0.2, 1.0, 5.0)},
}
budgets = st.floats(1.0, 12.0)


def no_worse(better: torch.Tensor, worse: torch.Tensor) -> bool:
    return bool(better <= worse + 1e-9 * (1 + worse.abs())) or bool(better == worse)


@few
@given(pair=law_pairs(), budget=budgets)
def test_obrs_is_never_worse_than_drs_at_equal_budget(pair: Pair, budget: float) -> None:
    p, q = torch.tensor(pair[0]), torch.tensor(pair[1])
    obrs, drs = refine_obrs(p, q, budget), refine_drs(p, q, budget)
    assert drs.rate >= 1 / budget - 1e-12
    for name, member in FAMILY.items():
        assert no_worse(member.discrete(p, obrs.law), member.discrete(p, drs.law)), name


@pytest.mark.parametrize("name", ["kl", "reverse_kl", "tv", "js"])
def test_obrs_is_strictly_better_than_drs_in_between(name: str) -> None:
    p, q = torch.tensor([0.5, 0.3, 0.2]).double(), torch.tensor([0.2, 0.2, 0.6]).double()
    obrs, drs = (refine(p, q, 1.5) for refine in (refine_obrs, refine_drs))
    assert obrs.rate == pytest.approx(drs.rate, abs=1e-12)
    assert DIVERGENCES[name].discrete(p, obrs.law) < DIVERGENCES[name].discrete(p, drs.law) - 1e-3


@few
@given(pair=law_pairs(), budget=budgets, seed=st.integers(0, 10_000))
def test_no_acceptance_within_the_budget_beats_obrs(pair: Pair, budget: float, seed: int) -> None:
    p, q = torch.tensor(pair[0]), torch.tensor(pair[1])
    best = refine_obrs(p, q, budget).law
    rng = np.random.default_rng(seed)
    draw = torch.tensor(rng.uniform(size=len(p)) ** rng.choice([0.1, 1.0, 5.0]))
    # Blend towards accepting everything until the rate is 1/K (or leave it above: fewer draws, allowed too).
    rate = float((q * draw).sum())
    blend = 0.0 if rate >= 1 / budget else (1 / budget - rate) / (1 - rate)
    other = refined_law(q, (1 - blend) * draw + blend)
    assert other.rate >= 1 / budget - 1e-12
    for name, member in FAMILY.items():
        assert no_worse(member.discrete(p, best), member.discrete(p, other.law)), name


@few
@given(law_pairs(), budgets)
def test_the_refined_curve_is_the_stretched_one(pair: Pair, budget: float) -> None:
    p, q = pair
    stretched = curve_discrete(p, q, GRID / budget).stretched(budget)
    refined = curve_discrete(p, refine_obrs(p, q, budget).law, GRID)
    np.testing.assert_allclose(stretched.lam, refined.lam)
    np.testing.assert_allclose(stretched.precision, refined.precision, atol=1e-10)
    np.testing.assert_allclose(stretched.recall, refined.recall, atol=1e-8)


@few
@given(pair=law_pairs(positive=True), budget=budgets)
def test_the_improvement_is_guaranteed(pair: Pair, budget: float) -> None:
    p, q = torch.tensor(pair[0]), torch.tensor(pair[1])
    gain = guaranteed_improvement(p, q, budget)
    law = refine_obrs(p, q, budget).law
    for name in FAMILY.keys() - {"gan"}:  # GAN is a divergence up to a constant only
        after, before = float(FAMILY[name].discrete(p, law)), float(FAMILY[name].discrete(p, q))
        assert after <= (1 - gain) * before + 1e-9 * (1 + before), name


def test_the_guarantee_is_reached_and_a_larger_share_would_be_false() -> None:
    """Two atoms: OBRS moves along the segment from Q to P, so TV shrinks by exactly (K-1)/(M-1)."""
    p, q, budget = torch.tensor([0.8, 0.2]).double(), torch.tensor([0.2, 0.8]).double(), 2.0
    gain = guaranteed_improvement(p, q, budget)
    assert gain == pytest.approx(1 / 3)
    after, before = (DIVERGENCES["tv"].discrete(p, law) for law in (refine_obrs(p, q, budget).law, q))
    assert float(after / before) == pytest.approx(1 - gain)


@few
@given(law_pairs(positive=True))
def test_plain_rejection_gives_the_real_law_at_rate_one_over_m(pair: Pair) -> None:
    p, q = pair
    largest = largest_ratio(p, q)
    for refined in (refine_plain(p, q), refine_obrs(p, q, largest + 1), refine_drs(p, q, largest + 1)):
        np.testing.assert_allclose(refined.law.numpy(), p, atol=1e-9)
    assert refine_plain(p, q).rate == pytest.approx(1 / largest, rel=1e-9)
    assert refine_obrs(p, q, largest + 1).rate == pytest.approx(1 / (largest + 1), rel=1e-9)


@few
@given(law_pairs(), budgets)
@example((np.eye(8)[0], np.arange(1, 9) / 36), 1.5)  # the rate is made up of zeros, whose log c is near 1e4
def test_rates_keep_the_budget(pair: Pair, budget: float) -> None:
    p, q = pair
    for refined in (refine_obrs(p, q, budget), refine_drs(p, q, budget)):
        assert refined.rate >= 1 / budget - 1e-12
        assert float(refined.law.sum()) == pytest.approx(1.0)
        assert float((refined.acceptance * torch.tensor(q)).sum()) == pytest.approx(refined.rate)


def test_a_budget_of_one_leaves_the_model_alone() -> None:
    p, q = [0.5, 0.5, 0.0], [0.1, 0.2, 0.7]
    for refine in (refine_obrs, refine_drs):
        refined = refine(p, q, 1.0)
        assert refined.rate == 1.0
        np.testing.assert_allclose(refined.law.numpy(), q)


def test_the_worked_example() -> None:
    """p = (.5,.3,.2), q = (.2,.2,.6), K = 2: .2 + .3c + .2c = ½ would clip the second atom at c = .6 < ⅔."""
    refined = refine_obrs([0.5, 0.3, 0.2], [0.2, 0.2, 0.6], 2.0)
    assert np.exp(refined.constant) == pytest.approx(0.6)
    np.testing.assert_allclose(refined.acceptance.numpy(), [1.0, 0.9, 0.2])
    np.testing.assert_allclose(refined.law.numpy(), [0.4, 0.36, 0.24])


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="budget K must be ≥ 1"):
        refine_drs([1.0], [1.0], 0.5)
    with pytest.raises(ValueError, match="budget K must be ≥ 1"):
        guaranteed_improvement([1.0], [1.0], 0.5)
    with pytest.raises(ValueError, match="disjoint supports"):
        refine_plain([1.0, 0.0], [0.0, 1.0])
    with pytest.raises(ValueError, match="same number of entries"):
        refine_obrs([1.0], [0.5, 0.5], 2.0)
    with pytest.raises(ValueError, match="must keep some mass"):
        refined_law([1.0], torch.zeros(1))
