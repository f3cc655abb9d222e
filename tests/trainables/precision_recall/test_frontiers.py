"""Divergence frontiers: orders and limits, optimality, closed forms, density ratios."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainables.precision_recall.laws import law_pairs
from trainables.precision_recall import (
    FAMILIES,
    RatioLaw,
    equiangular_grid,
    frontier_discrete,
    frontier_family,
    frontier_from_log_ratio,
    frontier_gaussian,
    gaussian_kl,
    quadrature_masses,
    renyi,
)

few = settings(max_examples=40, deadline=None)

Pair = tuple[np.ndarray, np.ndarray]
GRID = equiangular_grid(31)
ORDERS = [0.0, 0.3, 1.0, 2.0, 5.0, math.inf]
KINDS = ["exclusive", "inclusive"]


def normal(mean: float, scale: float) -> torch.distributions.Normal:
    return torch.distributions.Normal(torch.tensor(mean).double(), torch.tensor(scale).double())


@few
@given(law_pairs(positive=True), st.one_of(st.floats(0, 20), st.floats(-0.02, 0.02).map(lambda e: 1 + e)))
def test_renyi_rises_with_its_order_and_vanishes_at_home(pair: Pair, order: float) -> None:
    log_p, log_q = torch.tensor(pair[0]).log(), torch.tensor(pair[1]).log()
    value = float(renyi(log_p, log_q, order))
    assert value >= -1e-12
    assert value <= float(renyi(log_p, log_q, order + 0.5)) + 1e-9
    assert value <= float(renyi(log_p, log_q, math.inf)) + 1e-9
    assert float(renyi(log_p, log_p, order)) == pytest.approx(0.0, abs=1e-10)


@few
@given(law_pairs(positive=True))
def test_renyi_is_continuous_at_the_special_orders(pair: Pair) -> None:
    log_p, log_q = torch.tensor(pair[0]).log(), torch.tensor(pair[1]).log()
    for order, near in ((0.0, 1e-7), (1.0, 1 + 1e-7), (1.0, 1 - 1e-14), (math.inf, 1e7)):
        assert float(renyi(log_p, log_q, near)) == pytest.approx(float(renyi(log_p, log_q, order)), abs=1e-5)


def test_renyi_at_missing_mass() -> None:
    half, one = torch.tensor([0.5, 0.5]).log(), torch.tensor([1.0, 0.0]).log()
    assert float(renyi(one, half, 0.0)) == pytest.approx(math.log(2))  # -log Q(supp P)
    assert float(renyi(half, one, 1.0)) == math.inf
    assert float(renyi(half, one, 2.0)) == math.inf
    assert float(renyi(half, one, 0.5)) == pytest.approx(math.log(2))
    assert float(renyi(one, half, math.inf)) == pytest.approx(math.log(2))


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
def test_gaussian_closed_form_matches_the_numeric_one(kind: str) -> None:
    p, q = normal(0.0, 1.0), normal(1.5, 0.6)
    closed = frontier_gaussian([0.0], [[1.0]], [1.5], [[0.36]], kind, GRID)
    masses = quadrature_masses(p.log_prob, q.log_prob, (-9, 9), 400)
    numeric = frontier_discrete(*masses, 1.0, kind, GRID)
    if kind == "exclusive":  # geometric means of Gaussians are Gaussian: the true frontier
        np.testing.assert_allclose(closed.to_model, numeric.to_model, atol=1e-6)
        np.testing.assert_allclose(closed.to_real, numeric.to_real, atol=1e-6)
    else:  # inside the family only: at equal weight the scalarised loss cannot be better
        weight = closed.tilt / (1 + closed.tilt)
        loss = [weight * f.to_model + (1 - weight) * f.to_real for f in (closed, numeric)]
        assert (loss[0] >= loss[1] - 1e-9).all()
        assert loss[0][15] - loss[1][15] > 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_no_other_gaussian_is_better_at_the_same_weight(kind: str) -> None:
    generator = torch.Generator().manual_seed(5)
    means = torch.randn(2, 3, dtype=torch.float64, generator=generator)
    roots = torch.randn(2, 3, 3, dtype=torch.float64, generator=generator)
    covs = roots @ roots.mT + torch.eye(3, dtype=torch.float64)
    front = frontier_gaussian(means[0], covs[0], means[1], covs[1], kind, [0.5])
    best = (front.to_model * 1 + front.to_real * 2)[0] / 3  # odds ½: weights ⅓ on Q, ⅔ on P
    for _ in range(200):
        mean = means.mean(0) + 0.3 * torch.randn(3, dtype=torch.float64, generator=generator)
        root = torch.randn(3, 3, dtype=torch.float64, generator=generator)
        cov = covs.mean(0) + 0.1 * (root @ root.mT)
        args = (
            [(mean, cov, means[i], covs[i]) for i in (1, 0)]
            if kind == "exclusive"
            else [(means[i], covs[i], mean, cov) for i in (1, 0)]
        )
        loss = (float(gaussian_kl(*args[0])) + 2 * float(gaussian_kl(*args[1]))) / 3
        assert loss >= best - 1e-9


def test_gaussian_kl_matches_torch() -> None:
    mean, cov = torch.tensor([0.3, -1.0]).double(), torch.tensor([[2.0, 0.4], [0.4, 0.7]]).double()
    first = torch.distributions.MultivariateNormal(mean, cov)
    second = torch.distributions.MultivariateNormal(mean * 0, torch.eye(2).double())
    expected = torch.distributions.kl_divergence(first, second)
    torch.testing.assert_close(gaussian_kl(mean, cov, mean * 0, torch.eye(2).double()), expected)


LAWS = {
    "bernoulli": lambda t: torch.distributions.Bernoulli(logits=t),
    "exponential": lambda t: torch.distributions.Exponential(-t),
    "poisson": lambda t: torch.distributions.Poisson(t.exp()),
    "unit_normal": lambda t: torch.distributions.Normal(t, 1.0),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_families_agree_with_torch_and_lie_on_the_true_frontier(name: str, kind: str) -> None:
    theta_p, theta_q = torch.tensor([-0.4]).double(), torch.tensor([-1.7]).double()
    family = FAMILIES[name]
    expected = torch.distributions.kl_divergence(LAWS[name](theta_p), LAWS[name](theta_q))
    torch.testing.assert_close(family.kl(theta_p, theta_q), expected.sum())
    torch.testing.assert_close(family.natural(family.mean(theta_p)), theta_p)
    front = frontier_family(family, theta_p, theta_q, kind, GRID)
    assert (np.diff(front.to_model) < 0).all()
    assert (np.diff(front.to_real) > 0).all()
    if name == "bernoulli":
        p, q = torch.sigmoid(theta_p), torch.sigmoid(theta_q)
        exact = frontier_discrete(torch.cat([1 - p, p]), torch.cat([1 - q, q]), 1.0, kind, GRID)
        np.testing.assert_allclose(front.to_model, exact.to_model, atol=1e-12)
        np.testing.assert_allclose(front.to_real, exact.to_real, atol=1e-12)


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
