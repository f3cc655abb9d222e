"""The ratio of a flow by its own density and the law of the data: exact, its constant too."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from tests.trainables.samplers.trained import sampler, trained
from trainables.samplers.densities import density_ratio
from trainables.samplers.trained import Trained
from trainables.sources.law import Law
from trainables.sources.mixture import GaussianMixture

WIDE = GaussianMixture(torch.tensor([[0.5, -0.5], [-1.0, 1.0]]), torch.tensor([0.7, 0.3]).double(), 0.8)


def flow(law: Law = WIDE) -> Trained:
    made = sampler(trained("flow").file)
    return Trained(made, density_ratio(made, law))


def own_log_density(model: Trained, latent: Tensor) -> tuple[Tensor, Tensor]:
    """Draws (n, 2) of latents (n, 2), and log q there by the change of variables: log N(z) - log |det dx/dz|."""
    pool = next(model.pools(3))
    assert pool.block is not None
    whole = pool.block.latent.clone()
    whole[0, : len(latent)] = latent
    points, columns = None, []
    for axis in range(2):
        start = whole.clone().requires_grad_()
        points = pool.block.generate(start)[0, : len(latent)]
        (slope,) = torch.autograd.grad(points[:, axis].sum(), start)
        columns.append(slope[0, : len(latent)])
    assert points is not None
    jacobian = torch.stack(columns, dim=1).double()
    normal = -0.5 * latent.double().square().sum(1) - math.log(2 * math.pi)
    return points.detach(), normal - jacobian.det().abs().log()


def test_it_is_the_law_less_the_change_of_variables_of_the_flow() -> None:
    model = flow()
    latent = torch.randn(200, 2, generator=torch.Generator().manual_seed(0))
    points, log_q = own_log_density(model, latent)
    found = model.log_ratio_at(points)
    assert found.shape == (200,)
    torch.testing.assert_close(found.double(), WIDE.log_prob(points.double()) - log_q, rtol=1e-4, atol=1e-4)
    assert float(found.std()) > 0.1, "and they differ from point to point"


def test_the_density_that_it_stands_for_has_mass_one() -> None:
    model = flow()
    side = torch.linspace(-12, 12, 481)
    grid = torch.cartesian_prod(side, side)
    with torch.no_grad():
        density = (WIDE.log_prob(grid) - model.log_ratio_at(grid)).double().exp()
    mass = float(density.sum()) * float(side[1] - side[0]) ** 2
    assert mass == pytest.approx(1.0, abs=2e-3)


def test_draws_bear_the_ratio_of_their_points() -> None:
    model = flow()
    pool = next(model.pools(7))
    assert pool.log_ratio is not None
    torch.testing.assert_close(pool.log_ratio, model.log_ratio_at(pool.points).detach(), rtol=1e-5, atol=1e-5)
    critic = next(Trained(model.sampler).pools(7))
    assert torch.equal(pool.points, critic.points)
    assert critic.log_ratio is not None
    assert not torch.allclose(pool.log_ratio, critic.log_ratio), "the critic is not asked"


def test_gradients_flow_through_both_densities() -> None:
    model = flow()
    points = next(model.pools(1)).points[:5].clone().requires_grad_()
    (slope,) = torch.autograd.grad(model.log_ratio_at(points).sum(), points)
    step = 1e-2
    for axis in range(2):
        aside = torch.zeros(2)
        aside[axis] = step
        with torch.no_grad():
            ahead, behind = (model.log_ratio_at(points + sign * aside) for sign in (1, -1))
        torch.testing.assert_close(slope[:, axis], (ahead - behind) / (2 * step), rtol=0.02, atol=0.02)


def test_the_law_itself_as_data_of_the_sweep_is_taken() -> None:
    law = trained("flow").population.source.law
    assert law is not None
    model = flow(law)
    points = next(model.pools(2)).points[:50]
    other = flow().log_ratio_at(points)
    expected = law.log_prob(points) - WIDE.log_prob(points)
    torch.testing.assert_close(model.log_ratio_at(points) - other, expected, rtol=1e-4, atol=1e-3)


def test_a_model_without_a_density_is_refused() -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        density_ratio(sampler(trained("lam").file), WIDE)
    assert str(refusal.value) == (
        "the ratio is known from densities where the model has one, and this one has none; use the critic, or a "
        "classifier that is fitted after training"
    )
