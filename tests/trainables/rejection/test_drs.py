"""The constants of DRS: one draw in K at any ratios, the law of γ that is known exactly, and never better than OBRS."""

from __future__ import annotations

from math import inf, log, nan

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.trainables.precision_recall.laws import Pair, law_pairs
from trainables.divergences import DIVERGENCES
from trainables.precision_recall import curve_discrete, equiangular_grid
from trainables.rejection import refine_drs, refine_obrs, refined_law
from trainables.rejection.drs import drs_acceptance, drs_constants
from trainables.rejection.obrs import obrs_acceptance

budgets = st.one_of(st.floats(1.0, 50.0), st.sampled_from([1.0, 1.5, 2.0, 4.0, 8.0, 16.0]))
ratios = st.lists(
    st.one_of(st.floats(-30, 30), st.sampled_from([-inf, inf, 0.0, 1.0])), min_size=1, max_size=40
)


def accepted(log_ratio: torch.Tensor, budget: float) -> torch.Tensor:
    return drs_acceptance(log_ratio, drs_constants(log_ratio, budget))


@settings(max_examples=150)
@given(values=ratios, budget=budgets)
@example(values=[3.0], budget=4.0)
@example(values=[-inf] * 5, budget=4.0)
@example(values=[inf] * 5, budget=1.5)
@example(values=[-inf] * 8 + [0.0, 1.0], budget=2.0)
@example(values=[0.0] * 9 + [inf], budget=3.0)
@example(values=[-2.0] + [1.0] * 9, budget=4.0)
def test_one_draw_in_k_is_kept_whatever_the_ratios(values: list[float], budget: float) -> None:
    log_r = torch.tensor(values, dtype=torch.float64)
    found = accepted(log_r, budget)
    assert bool(((found >= 0) & (found <= 1)).all())
    assert float(found.mean()) == pytest.approx(1 / budget, abs=1e-9)
    assert bool((found[log_r.argsort()].diff() >= -1e-12).all()), "better draws are kept more often"


@given(values=ratios)
def test_a_budget_of_one_accepts_everything(values: list[float]) -> None:
    constants = drs_constants(torch.tensor(values), 1.0)
    fresh = torch.tensor([*values, -inf, -100.0, 100.0, inf])  # also draws far from those it was found on
    assert bool((drs_acceptance(fresh, constants) == 1).all())


@settings(max_examples=60)
@given(
    eighths=st.lists(st.integers(-160, 160), min_size=2, max_size=30),
    budget=budgets,
    shift=st.integers(-50, 50),
)
def test_the_scale_of_the_ratio_is_irrelevant(eighths: list[int], budget: float, shift: int) -> None:
    """Of ratios that stay apart or equal when they are shifted: γ may part those that are all but equal."""
    log_r = torch.tensor(eighths, dtype=torch.float64) / 8
    torch.testing.assert_close(accepted(log_r + shift, budget), accepted(log_r, budget), atol=1e-7, rtol=0)


@pytest.mark.parametrize("budget", [1.5, 3.0, 10.0])
def test_the_acceptance_is_that_of_the_equation(budget: float) -> None:
    # a = r/(r (1 - e^γ) + M e^γ), as in 6.7.
    log_r = torch.randn(300, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    log_m, gamma, thin = drs_constants(log_r, budget).tolist()
    assert log_m == float(log_r.max())
    assert thin == 0.0
    r, grip = log_r.exp(), torch.tensor(gamma).exp()
    expected = r / (r * (1 - grip) + torch.tensor(log_m).exp() * grip)
    torch.testing.assert_close(accepted(log_r, budget), expected)


def test_beyond_plain_rejection_gamma_goes_on_and_acceptances_stay_probabilities() -> None:
    # Plain rejection keeps E[r]/M of the draws, γ = 0; a larger budget asks for γ > 0.
    log_r = torch.randn(300, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    plain = float((log_r - log_r.max()).exp().mean())
    _, at, _ = drs_constants(log_r, 1 / plain).tolist()
    assert at == pytest.approx(0.0, abs=1e-6)
    _, beyond, thin = drs_constants(log_r, 2 / plain).tolist()
    assert beyond > 0.1
    assert thin == 0.0
    assert float(accepted(log_r, 2 / plain).mean()) == pytest.approx(plain / 2, abs=1e-9)


def test_ties_at_the_top_are_thinned_out_alike() -> None:
    log_r = torch.tensor([1.0] * 6 + [-4.0] * 4, dtype=torch.float64)
    log_m, _, thin = drs_constants(log_r, 5.0).tolist()
    assert (log_m, thin) == (1.0, pytest.approx(log(0.2 / 0.6)))
    found = accepted(log_r, 5.0)
    torch.testing.assert_close(found, torch.tensor([1 / 3] * 6 + [0.0] * 4, dtype=torch.float64))
    assert drs_constants(log_r, 1.2)[2] == 0.0, "where others are kept too nobody is thinned out"


def test_zeros_are_kept_once_all_others_are() -> None:
    log_r = torch.tensor([-inf] * 8 + [0.0, 1.0], dtype=torch.float64)
    torch.testing.assert_close(
        accepted(log_r, 2.0), torch.tensor([0.375] * 8 + [1.0, 1.0], dtype=torch.float64)
    )


def test_a_nan_is_not_hidden_and_spoils_only_its_own_model() -> None:
    log_r = torch.tensor([[0.0, nan, 2.0], [0.0, 1.0, 2.0]], dtype=torch.float64)
    constants = drs_constants(log_r, 1.5)
    found = drs_acceptance(log_r, constants)
    assert bool(found[0].isnan().all())
    torch.testing.assert_close(found[1], accepted(log_r[1], 1.5))


def test_models_are_solved_together_as_alone() -> None:
    log_r = torch.randn(4, 200, generator=torch.Generator().manual_seed(2))
    together = accepted(log_r, 3.0)
    assert together.dtype == torch.float32
    torch.testing.assert_close(together, torch.stack([accepted(row, 3.0) for row in log_r]))


def test_fresh_draws_above_the_largest_are_kept_for_certain_where_nothing_is_thinned() -> None:
    constants = drs_constants(torch.tensor([0.0, 1.0, 2.0]), 1.5)
    assert float(drs_acceptance(torch.tensor([5.0]), constants)) == 1.0


@pytest.mark.parametrize("budget", [0.5, nan, -1.0])
def test_budgets_below_one_are_refused(budget: float) -> None:
    with pytest.raises(ValueError, match=r"budget K must be ≥ 1, got .*; use K=1 to accept every sample"):
        drs_constants(torch.zeros(3), budget)


def as_draws(pair: Pair, most: int = 40) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """p and q with masses that are multiples of 1/N, and log r at N draws that stand for q exactly."""
    p, q = pair
    counts = np.floor(q * most).astype(int)
    counts[np.argmax(q)] += most - counts.sum()
    law_q = torch.tensor(counts / most)
    law_p = torch.tensor(np.where(counts > 0, p, 0.0))
    law_p = law_p / law_p.sum() if law_p.sum() > 0 else law_q
    log_r = torch.where(law_q > 0, law_p.log() - law_q.log(), -inf)
    return law_p, law_q, log_r


@settings(max_examples=100)
@given(pair=law_pairs(), budget=st.floats(1.0, 16.0))
@example(pair=(np.array([0.25, 0.25, 0.5]), np.array([0.25, 0.25, 0.5])), budget=2.0)  # equal ratios
@example(pair=(np.array([0.5, 0.5, 0.0]), np.array([0.1, 0.1, 0.8])), budget=1.1)  # r = 0 on most of Q
def test_obrs_is_never_worse_in_any_divergence_at_equal_acceptance(pair: Pair, budget: float) -> None:
    """Exactly: what is kept of each atom is its mass times its probability of being kept."""
    p, q, log_r = as_draws(pair)
    places = torch.repeat_interleave(torch.arange(len(q)), (40 * q).round().long())
    drs = drs_acceptance(log_r, drs_constants(log_r[places], budget))
    obrs = obrs_acceptance(log_r, budget, q)
    one, other = refined_law(q, obrs), refined_law(q, drs)
    assert one.rate == pytest.approx(1 / budget, abs=1e-9)
    assert other.rate == pytest.approx(1 / budget, abs=1e-9)
    for name, member in DIVERGENCES.items():
        best, worse = float(member.discrete(p, one.law)), float(member.discrete(p, other.law))
        assert best <= worse + 1e-7 * (1 + abs(worse)) or best == worse, name


@settings(max_examples=60)
@given(pair=law_pairs(positive=True), budget=st.floats(1.0, 16.0))
def test_within_plain_rejection_it_is_the_drs_of_known_laws(pair: Pair, budget: float) -> None:
    p, q, log_r = as_draws(pair)
    places = torch.repeat_interleave(torch.arange(len(q)), (40 * q).round().long())
    if budget >= float((p / q)[q > 0].max()):
        return
    found = refined_law(q, drs_acceptance(log_r, drs_constants(log_r[places], budget)))
    known = refine_drs(p.numpy(), q.numpy(), budget)
    np.testing.assert_allclose(found.law, known.law, atol=1e-7)


@settings(max_examples=60)
@given(pair=law_pairs(), budget=st.floats(1.0, 16.0))
def test_its_curve_lies_within_that_of_obrs(pair: Pair, budget: float) -> None:
    """α_λ = Σ min(λp, q̃) of OBRS is the K-fold stretch, min(1, K α_{λ/K}) of the model's own, and DRS has no more."""
    p, q, log_r = as_draws(pair)
    places = torch.repeat_interleave(torch.arange(len(q)), (40 * q).round().long())
    drs = refined_law(q, drs_acceptance(log_r, drs_constants(log_r[places], budget))).law.numpy()
    obrs = refine_obrs(p.numpy(), q.numpy(), budget).law.numpy()
    grid = equiangular_grid(21)
    stretched = curve_discrete(p.numpy(), q.numpy(), grid / budget).stretched(budget).precision
    np.testing.assert_allclose(curve_discrete(p.numpy(), obrs, grid).precision, stretched, atol=1e-9)
    assert bool((curve_discrete(p.numpy(), drs, grid).precision <= stretched + 1e-9).all())
