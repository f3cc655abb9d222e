"""The constant of a budget: exact, batched, and defined at every edge."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainables.rejection import acceptance, budget_constant, obrs_acceptance

few = settings(max_examples=40)

log_ratios = st.lists(
    st.one_of(st.floats(-30, 30), st.just(-np.inf), st.sampled_from([0.0, 1.0])), min_size=1, max_size=40
)


@pytest.mark.parametrize("budget", [1.0, 1.001, 1.5, 2.0, 10.0, 1000.0])
def test_acceptance_is_one_over_the_budget_on_a_million_ratios(budget: float) -> None:
    log_ratio = 3.0 * torch.randn(1_000_000, dtype=torch.float64, generator=torch.Generator().manual_seed(7))
    assert float(obrs_acceptance(log_ratio, budget).mean()) == pytest.approx(1.0 / budget, abs=1e-9)


@few
@given(log_ratios, st.floats(1.0, 50.0))
def test_rate_matches_the_budget_with_ties_and_zeros(values: list[float], budget: float) -> None:
    log_ratio = torch.tensor(values, dtype=torch.float64)
    accepted = obrs_acceptance(log_ratio, budget)
    assert bool(((accepted >= 0) & (accepted <= 1)).all())
    assert float(accepted.mean()) == pytest.approx(1.0 / budget, abs=1e-9)
    assert bool((accepted[log_ratio.argsort()].diff() >= 0).all()), "better samples are kept more often"


@few
@given(log_ratios, st.floats(1.0, 50.0), st.floats(-20, 20))
def test_the_scale_of_the_ratio_is_irrelevant(values: list[float], budget: float, shift: float) -> None:
    log_ratio = torch.tensor(values, dtype=torch.float64)
    torch.testing.assert_close(
        obrs_acceptance(log_ratio + shift, budget), obrs_acceptance(log_ratio, budget), atol=1e-9, rtol=0
    )


@few
@given(st.integers(0, 10_000), st.just(1.0) | st.floats(1 + 1e-9, 20.0))
def test_weights_count_as_repeated_samples(seed: int, budget: float) -> None:
    """Next to K = 1 rounding decides whether c is ∞ or just large enough, and nobody is rejected by either."""
    rng = np.random.default_rng(seed)
    log_ratio = torch.tensor(rng.normal(size=6) * 2)
    counts = rng.integers(1, 5, size=6)
    repeated = log_ratio.repeat_interleave(torch.tensor(counts))
    weighted = budget_constant(log_ratio, budget, torch.tensor(counts, dtype=torch.float64))
    torch.testing.assert_close(weighted, budget_constant(repeated, budget), rtol=1e-10, atol=1e-10)


def test_a_pack_is_solved_at_once_with_a_budget_each() -> None:
    log_ratio = torch.randn(4, 500, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    budgets = torch.tensor([1.0, 1.25, 2.0, 4.0])
    together = budget_constant(log_ratio, budgets)
    alone = torch.stack([budget_constant(row, float(k)) for row, k in zip(log_ratio, budgets, strict=True)])
    torch.testing.assert_close(together, alone)
    torch.testing.assert_close(
        acceptance(log_ratio, together).mean(-1), 1.0 / budgets.double(), atol=1e-12, rtol=0
    )


def test_a_budget_of_one_accepts_everything() -> None:
    log_ratio = torch.tensor([-torch.inf, -50.0, 0.0, 3.0], dtype=torch.float64)
    assert float(budget_constant(log_ratio, 1.0)) == np.inf
    assert obrs_acceptance(log_ratio, 1.0).tolist() == [1.0, 1.0, 1.0, 1.0]


def test_a_large_budget_accepts_in_proportion_to_the_ratio() -> None:
    ratio = torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64)
    for budget in (12 / 7, 5.0, 1e6):  # M = max r / E r = 2/(7/6) = 12/7: nothing is clipped from there on
        accepted = obrs_acceptance(ratio.log(), budget)
        torch.testing.assert_close(
            accepted / accepted.sum(), ratio / ratio.sum()
        )  # the law of plain rejection
        assert float(accepted.mean()) == pytest.approx(1.0 / budget, rel=1e-9)


def test_zeros_share_what_the_positive_ratios_leave() -> None:
    log_ratio = torch.tensor([-torch.inf] * 8 + [0.0, 1.0], dtype=torch.float64)
    accepted = obrs_acceptance(log_ratio, 2.0)  # 2 of 10 are positive, 1/K = 5 of 10: the zeros share 3 of 8
    torch.testing.assert_close(accepted, torch.tensor([0.375] * 8 + [1.0, 1.0], dtype=torch.float64))
    assert obrs_acceptance(log_ratio, 5.0).tolist() == [0.0] * 8 + [1.0, 1.0]


def test_one_sample_and_all_ties_share_the_budget_evenly() -> None:
    assert obrs_acceptance(torch.tensor([3.0]), 4.0).tolist() == [0.25]
    assert obrs_acceptance(torch.full((5,), -2.0), 4.0).tolist() == [0.25] * 5
    assert obrs_acceptance(torch.full((5,), -torch.inf), 4.0).tolist() == [0.25] * 5


def test_atoms_without_mass_change_nothing() -> None:
    log_ratio = torch.tensor([torch.inf, torch.nan, 1.0, 0.0], dtype=torch.float64)  # p/0, 0/0, and two atoms
    weights = torch.tensor([0.0, 0.0, 0.5, 0.5], dtype=torch.float64)
    for budget in (1.2, 5.0):
        expected = budget_constant(log_ratio[2:], budget)
        torch.testing.assert_close(budget_constant(log_ratio, budget, weights), expected)


def test_gradients_pass_through_unclipped_samples_only() -> None:
    log_ratio = torch.tensor([-2.0, 0.0, 3.0], dtype=torch.float64, requires_grad=True)
    accepted = acceptance(log_ratio, budget_constant(log_ratio, 2.0))
    accepted.sum().backward()
    assert log_ratio.grad is not None
    torch.testing.assert_close(log_ratio.grad[:2], accepted.detach()[:2])  # d(c r)/d log r = c r
    assert float(log_ratio.grad[2]) == 0.0


def test_extreme_logits_stay_finite_and_nan_is_not_hidden() -> None:
    log_ratio = torch.tensor([-700.0, -60.0, 60.0, 900.0], dtype=torch.float32)
    assert float(obrs_acceptance(log_ratio, 1.6).double().mean()) == pytest.approx(1 / 1.6, abs=1e-6)
    assert bool(budget_constant(torch.tensor([0.0, torch.nan]), 2.0).isnan())


@pytest.mark.parametrize("budget", [0.5, torch.tensor([2.0, 0.5]), float("nan")])
def test_budgets_below_one_are_refused(budget: float | torch.Tensor) -> None:
    with pytest.raises(
        ValueError, match=r"budget K must be ≥ 1, got (0\.5|nan); use K=1 to accept every sample"
    ):
        budget_constant(torch.zeros(2, 3), budget)
