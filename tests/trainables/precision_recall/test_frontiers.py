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
