"""Closed frontiers of exponential families agree with the numeric ones and with torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainables.precision_recall.laws import normal
from trainables.precision_recall import (
    FAMILIES,
    equiangular_grid,
    frontier_discrete,
    frontier_family,
    frontier_gaussian,
    gaussian_kl,
    quadrature_masses,
)

GRID = equiangular_grid(31)
KINDS = ["exclusive", "inclusive"]


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


@settings(max_examples=40)
@given(st.sampled_from(sorted(FAMILIES)), st.floats(-3, -0.1), st.floats(-3, -0.1))
def test_the_mean_map_is_the_slope_of_the_log_partition(name: str, first: float, second: float) -> None:
    family, theta = FAMILIES[name], torch.tensor([first], dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(family.log_partition(theta).sum(), theta)
    torch.testing.assert_close(slope, family.mean(theta.detach()))
    divergence = float(family.kl(theta.detach(), torch.tensor([second]).double()))
    assert divergence >= -1e-12
    assert divergence > 0 or abs(first - second) < 1e-5


def test_unit_normals_have_parabolas_for_a_frontier() -> None:
    """Both paths are N(weight·m, 1): ½(1-weight)²m² to the model, ½weight²m² to the real law."""
    weight = GRID / (1 + GRID)
    for kind in KINDS:
        front = frontier_family(FAMILIES["unit_normal"], 0.0, 3.0, kind, GRID)
        np.testing.assert_allclose(front.to_model, 4.5 * (1 - weight).numpy() ** 2, rtol=1e-9)
        np.testing.assert_allclose(front.to_real, 4.5 * weight.numpy() ** 2, rtol=1e-9)


def test_a_batch_of_gaussians_is_compared_one_by_one() -> None:
    means = torch.tensor([[0.0, 1.0], [2.0, -1.0]]).double()
    covs = torch.stack([torch.eye(2).double(), torch.tensor([[2.0, 0.3], [0.3, 0.5]]).double()])
    together = gaussian_kl(means, covs, means[0], covs[0])
    assert float(together[0]) == pytest.approx(0.0, abs=1e-15)
    torch.testing.assert_close(together[1], gaussian_kl(means[1], covs[1], means[0], covs[0]))
