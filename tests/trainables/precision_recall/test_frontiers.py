"""Divergence frontiers: the curve at order ∞, optimality, ends, density ratios."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainables.precision_recall.laws import Pair, law_pairs, normal
from trainables.precision_recall import (
    RatioLaw,
    equiangular_grid,
    frontier_discrete,
    frontier_from_log_ratio,
    quadrature_masses,
    renyi,
)

few = settings(max_examples=40)
GRID = equiangular_grid(31)
ORDERS = [0.0, 0.3, 1.0, 2.0, 5.0, math.inf]
KINDS = ["exclusive", "inclusive"]


@few
@given(law_pairs())
def test_the_infinite_exclusive_frontier_is_the_precision_recall_curve(pair: Pair) -> None:
    p, q = pair
    law = RatioLaw.from_masses(torch.tensor(p), torch.tensor(q))
    common = (p > 0) & (q > 0)
    if not common.any():
        assert np.isinf(frontier_discrete(p, q, math.inf, "exclusive", GRID).to_model).all()
        return
    ratio = p[common] / q[common]
    precision, recall = frontier_discrete(p, q, math.inf, "exclusive", GRID).scores()
    # Beyond the extreme ratios the curve runs straight, and the frontier stays at the corner that dominates it.
    inner = GRID.clamp(1 / ratio.max(), 1 / ratio.min())
    np.testing.assert_allclose(precision, law.alpha(inner).numpy(), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(recall, law.beta(inner).numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", ORDERS)
@few
@given(pair=law_pairs(max_size=5, positive=True), seed=st.integers(0, 10_000))
def test_no_law_is_strictly_better_on_both_axes(order: float, kind: str, pair: Pair, seed: int) -> None:
    p, q = pair
    front = frontier_discrete(p, q, order, kind, equiangular_grid(201))
    other = torch.tensor(np.random.default_rng(seed).dirichlet(np.ones(len(p)))).log()
    log_p, log_q = torch.tensor(p).log(), torch.tensor(q).log()
    if kind == "exclusive":
        model, real = float(renyi(other, log_q, order)), float(renyi(other, log_p, order))
    else:
        model, real = float(renyi(log_q, other, order)), float(renyi(log_p, other, order))
    assert not ((model < front.to_model - 1e-9) & (real < front.to_real - 1e-9)).any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", [0.3, 1.0, 2.0, math.inf])
def test_the_frontier_runs_from_real_to_model(order: float, kind: str) -> None:
    p, q = [0.5, 0.3, 0.2], [0.2, 0.2, 0.6]
    front = frontier_discrete(p, q, order, kind, np.geomspace(1e-9, 1e9, 101))
    assert (np.diff(front.to_model) <= 1e-9).all()
    assert (np.diff(front.to_real) >= -1e-9).all()
    assert front.to_real[0] == pytest.approx(0.0, abs=1e-5)
    assert front.to_model[-1] == pytest.approx(0.0, abs=1e-5)


def test_the_weight_follows_lambda_for_large_orders() -> None:
    """π = λ^{α-1}/(1+λ^{α-1}) makes R tend to min(p, q/λ); a fixed π collapses to min(p, q)."""
    p, q, lam = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.2, 0.6]), 0.7
    limit = frontier_discrete(p, q, math.inf, "exclusive", [lam])
    near = frontier_discrete(p, q, 2000.0, "exclusive", [lam])
    np.testing.assert_allclose(near.to_model, limit.to_model, atol=2e-3)
    np.testing.assert_allclose(near.to_real, limit.to_real, atol=2e-3)
    collapsed = np.minimum(p, q) / np.minimum(p, q).sum()
    assert abs(np.log((collapsed / q).max()) - limit.to_model[0]) > 0.05


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", [0.5, 1.0, 2.0])
def test_density_ratios_approach_the_exact_frontier(order: float, kind: str) -> None:
    p, q, n = normal(0.0, 1.0), normal(0.6, 1.1), 40_000
    quantiles = (
        torch.arange(n, dtype=torch.float64) + 0.5
    ) / n  # stratified: the error is that of a fine grid
    at_real, at_model = ((p.log_prob(x) - q.log_prob(x)) for x in (p.icdf(quantiles), q.icdf(quantiles)))
    estimate = frontier_from_log_ratio(at_real, at_model, order, kind, GRID)
    exact = frontier_discrete(*quadrature_masses(p.log_prob, q.log_prob, (-9, 9), 300), order, kind, GRID)
    np.testing.assert_allclose(estimate.to_model, exact.to_model, atol=2e-3)
    np.testing.assert_allclose(estimate.to_real, exact.to_real, atol=2e-3)


def test_bad_requests_are_refused() -> None:
    with pytest.raises(ValueError, match="order α of a frontier"):
        frontier_discrete([1.0], [1.0], -1.0, "exclusive", [1.0])
    with pytest.raises(ValueError, match="'exclusive' or 'inclusive', got 'both'"):
        frontier_discrete([1.0], [1.0], 1.0, "both", [1.0])
    with pytest.raises(ValueError, match=r"tilts must be a list of numbers in \(0, ∞\)"):
        frontier_discrete([1.0], [1.0], 1.0, "exclusive", [0.0])
    with pytest.raises(ValueError, match="log-ratios must be finite"):
        frontier_from_log_ratio(torch.tensor([torch.inf]), torch.zeros(1), 1.0, "exclusive", [1.0])


WALK = np.concatenate([[1e-9], GRID.numpy(), [1e9]])


@pytest.mark.parametrize("order", [1.0, 2.0, math.inf])
def test_areas_of_equal_laws_of_laws_that_share_nothing_and_of_half_shared_ones(order: float) -> None:
    p, q, r = [0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]
    for kind in KINDS:
        assert frontier_discrete(p, p, order, kind, WALK).area() == pytest.approx(1.0)
    assert frontier_discrete(p, r, order, "exclusive", WALK).area() == 0.0
    assert frontier_discrete(p, r, order, "inclusive", WALK).area() == pytest.approx(0.5)
    # R has to lie on the one shared state, of mass ½ in both: all pairs up to (½, ½).
    assert frontier_discrete(p, q, order, "exclusive", WALK).area() == pytest.approx(0.25)


@pytest.mark.parametrize("kind", KINDS)
def test_the_area_of_gaussians_is_that_of_their_closed_form(kind: str) -> None:
    """N(0, 1) and N(δ, 1), α = 1, exclusive: R = N(πδ, 1), precision e^{-(1-π)²δ²/2} and recall e^{-π²δ²/2}."""
    delta, pi = 1.3, np.linspace(0, 1, 100_001)
    precision, recall = np.exp(-((1 - pi) ** 2) * delta**2 / 2), np.exp(-(pi**2) * delta**2 / 2)
    exact = np.trapezoid(precision[::-1], recall[::-1]) + recall.min()
    masses = quadrature_masses(normal(0.0, 1.0).log_prob, normal(delta, 1.0).log_prob, (-9.0, 10.0))
    p, q = (one / one.sum() for one in masses)
    found = frontier_discrete(p, q, 1.0, kind, np.concatenate([[1e-9], equiangular_grid(99).numpy(), [1e9]]))
    if kind == "exclusive":
        assert found.area() == pytest.approx(exact, abs=2e-3)
    else:
        assert exact < found.area() < 1


@few
@given(law_pairs())
def test_an_area_is_the_same_when_the_laws_change_places_and_no_inclusive_one_is_below_a_half(
    pair: Pair,
) -> None:
    for kind in KINDS:
        for order in (0.5, 1.0, 3.0):
            one = frontier_discrete(*pair, order, kind, WALK).area()
            other = frontier_discrete(*pair[::-1], order, kind, WALK).area()
            assert one == pytest.approx(other, abs=1e-6)
            assert (0.5 - 1e-6 if kind == "inclusive" else 0) <= one <= 1 + 1e-12


def test_which_divergence_is_precision_depends_on_the_kind() -> None:
    """Q has lost one of two states of P: all that is generated is good, half of what is real is missing."""
    p, q = [0.5, 0.5], [1.0, 0.0]
    for kind in KINDS:
        precision, recall = frontier_discrete(p, q, 1.0, kind, WALK).precision_and_recall()
        assert (precision[0], recall[0]) == pytest.approx((1.0, 0.5), abs=1e-6)
