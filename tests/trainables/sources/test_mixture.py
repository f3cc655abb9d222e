"""The toy laws against quadrature and Monte Carlo."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from scipy import stats

from trainables.datasets.gaussians8 import Gaussians8
from trainables.datasets.gaussians25 import Gaussians25
from trainables.datasets.mixture1d import Mixture1d
from trainables.randomness import Noise, Stream
from trainables.sources.mixture import GaussianMixture


def _law(member: Any) -> GaussianMixture:
    law = member.source().law
    assert isinstance(law, GaussianMixture)
    return law


MIXTURES = {m.name: _law(m) for m in (Gaussians8(), Gaussians25(), Mixture1d())}


def mixture(name: str) -> GaussianMixture:
    return MIXTURES[name]


def draw(law: GaussianMixture, count: int, seed: int = 0) -> torch.Tensor:
    noise = Noise(torch.tensor([seed]))
    return law.transform(
        noise.uniform(Stream.REAL, 0, count)[0], noise.normal(Stream.REAL, 1, count, law.dim)[0]
    )


def grid(law: GaussianMixture, bins: int) -> torch.Tensor:
    low, high = law.span(8.0)
    return torch.linspace(low, high, bins + 1, dtype=torch.float64)


@pytest.mark.parametrize("name", sorted(MIXTURES))
def test_density_integrates_to_one(name: str) -> None:
    law = mixture(name)
    edges = grid(law, 400)
    centres, step = (edges[1:] + edges[:-1]) / 2, float(edges[1] - edges[0])
    x = torch.cartesian_prod(*[centres] * law.dim).reshape(-1, law.dim)
    assert float(law.log_prob(x).exp().sum()) * step**law.dim == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("name", sorted(MIXTURES))
def test_density_is_the_sum_of_its_components(name: str) -> None:
    law = mixture(name)
    x = draw(law, 50).double()
    normal = torch.distributions.Normal(law.means.double(), law.sigma)
    components = normal.log_prob(x[:, None, :]).sum(-1).exp()  # (n, M)
    expected = components @ law.weights.double()
    torch.testing.assert_close(law.log_prob(x).exp(), expected, rtol=1e-6, atol=0)
    assert law.log_prob(x).dtype == torch.float64
    assert law.log_prob(x.float()).dtype == torch.float32


def test_density_far_away_does_not_underflow() -> None:
    assert torch.isfinite(mixture("gaussians8").log_prob(torch.tensor([[1e3, 1e3]]))).all()


@pytest.mark.parametrize("name", sorted(MIXTURES))
def test_cell_masses_sum_to_one_and_match_samples(name: str) -> None:
    law = mixture(name)
    count, bins = 200_000, 12
    edges = grid(law, bins)
    mass = law.cell_masses(edges)
    assert mass.shape == (bins**law.dim,)
    assert float(mass.sum()) == pytest.approx(1.0, abs=1e-12)
    cell = torch.bucketize(draw(law, count).double(), edges) - 1
    flat = cell[:, 0] if law.dim == 1 else cell[:, 0] * bins + cell[:, 1]
    shares = torch.bincount(flat, minlength=len(mass)).double() / count
    error = (mass * (1 - mass) / count).sqrt()
    assert bool(((shares - mass).abs() <= 5 * error + 3 / count).all())


def test_cell_masses_of_a_law_without_symmetry_keep_the_order_of_coordinates() -> None:
    law = GaussianMixture(torch.tensor([[0.5, 1.5], [2.5, 0.5]]), torch.tensor([0.7, 0.3]), sigma=0.05)
    mass = law.cell_masses(torch.arange(4.0)).reshape(3, 3)  # first coordinate down, second across
    assert float(mass[0, 1]) == pytest.approx(0.7, abs=1e-6)
    assert float(mass[2, 0]) == pytest.approx(0.3, abs=1e-6)


def test_samples_follow_weights_and_components() -> None:
    law = mixture("mixture1d")
    x = draw(law, 100_000)[:, 0]
    mode = (x[:, None] - law.means[:, 0]).abs().argmin(1)
    counts = torch.bincount(mode, minlength=3)
    assert stats.chisquare(counts.numpy(), (law.weights.double() * len(x)).numpy()).pvalue > 1e-3
    for index, mean in enumerate(law.means[:, 0]):
        # Modes are 8σ apart, so points nearest to one are its own.
        standard = (x[mode == index] - mean) / law.sigma
        assert stats.kstest(standard.numpy(), "norm").pvalue > 1e-3


def test_uniform_ends_fall_on_modes_that_exist() -> None:
    law = mixture("gaussians25")
    x = law.transform(torch.tensor([2.0**-33, 1.0]), torch.zeros(2, 2))
    torch.testing.assert_close(x, law.means[[0, -1]])


def test_samples_have_leading_dimensions_of_trials() -> None:
    law = mixture("gaussians8")
    assert law.transform(torch.rand(3, 5), torch.randn(3, 5, 2)).shape == (3, 5, 2)


def test_components_of_one_group_are_one_mode() -> None:
    means = torch.tensor([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]])
    weights = torch.tensor([0.2, 0.3, 0.5], dtype=torch.float64)
    law = GaussianMixture(means, weights, 0.1, torch.tensor([0, 0, 1]))
    x = torch.tensor([[1.0, 0.29], [0.0, 0.31], [5.0, 5.0], [9.0, 9.0]])
    modes = law.modes(x)
    torch.testing.assert_close(modes.weights, torch.tensor([0.5, 0.5], dtype=torch.float64))
    assert modes.nearest.tolist() == [0, 0, 1, 1]
    assert modes.near.tolist() == [True, False, True, False]
    alone = GaussianMixture(means, weights, 0.1).modes(x)
    assert alone.nearest.tolist() == [1, 0, 2, 2]
    assert torch.equal(alone.weights, weights)
    moved = law.to("cpu")
    assert moved.groups is not None
    torch.testing.assert_close(moved.log_prob(x), law.log_prob(x), rtol=0, atol=0)


def test_uniforms_and_normals_have_steps_of_their_own() -> None:
    law, noise = mixture("gaussians8"), Noise(torch.tensor([2, 3]))
    expected = law.transform(noise.uniform(Stream.REAL, 10, 30), noise.normal(Stream.REAL, 11, 30, 2))
    torch.testing.assert_close(law.draw(noise, Stream.REAL, 5, 30), expected, rtol=0, atol=0)
    torch.testing.assert_close(law.draw(noise, Stream.REAL, torch.tensor(5), 30), expected, rtol=0, atol=0)


def test_weights_sum_to_one() -> None:
    for law in MIXTURES.values():
        assert float(law.weights.double().sum()) == pytest.approx(1.0, abs=1e-6)
        assert law.shape == (law.dim,)
