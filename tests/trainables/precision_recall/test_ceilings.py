"""Lipschitz ceilings: never below what a map of that constant attains, and worth having."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2
from torch import Tensor

from trainables.precision_recall import (
    PRCurve,
    RatioLaw,
    ceiling_curve,
    curve_density,
    equiangular_grid,
    forward_bound,
    forward_bound_any_centre,
    inverse_bound,
    latent_ball_mass,
    residual_flow_constants,
)

few = settings(max_examples=40)

GRID = equiangular_grid(41)
LAM = GRID.numpy()
N = 4000


def mixture(means: list[float], scale: float) -> torch.distributions.MixtureSameFamily:
    centres = torch.tensor(means).double()
    return torch.distributions.MixtureSameFamily(
        torch.distributions.Categorical(torch.ones(len(means)).double()),
        torch.distributions.Normal(centres, torch.full_like(centres, scale)),
    )


REAL = {
    "two modes": mixture([-4.0, 4.0], 0.4),
    "three modes": mixture([-3.0, 0.0, 5.0], 0.3),
    "narrow": mixture([1.0], 0.2),
    "wide": mixture([0.0], 3.0),
}


def quantiles(law: torch.distributions.Distribution, n: int = N) -> Tensor:
    """n points of equal mass: an empirical law within 1/n of the true one on every interval's end, shape (n, 1)."""
    x = torch.linspace(-25, 25, 200_001, dtype=torch.float64)
    levels = (torch.arange(n, dtype=torch.float64) + 0.5) / n
    return torch.tensor(np.interp(levels.numpy(), law.cdf(x).numpy(), x.numpy())).unsqueeze(-1)


def attained(real: torch.distributions.Distribution, g: Callable[[Tensor], Tensor]) -> PRCurve:
    """The curve of Q = G#N(0, 1), read in latent space: ∫ min(λ p(G(z)) G'(z), φ(z)) dz."""
    z = torch.linspace(-12, 12, 200_001, dtype=torch.float64, requires_grad=True)
    x = g(z)
    (slope,) = torch.autograd.grad(x.sum(), z)
    z, x, step = z.detach(), x.detach(), 24 / 200_000
    latent = torch.distributions.Normal(torch.zeros(()).double(), 1.0).log_prob(z).exp()
    return RatioLaw.from_masses(real.log_prob(x).exp() * slope * step, latent * step).curve(GRID)


# name → (G, Lipschitz constant of G, Lipschitz constant of its inverse)
MAPS: dict[str, tuple[Callable[[Tensor], Tensor], float, float]] = {
    "scale 1": (lambda z: z, 1.0, 1.0),
    "scale 2, off centre": (lambda z: 2 * z + 1.5, 2.0, 0.5),
    "scale 5": (lambda z: 5 * z - 0.5, 5.0, 0.2),
    "narrow": (lambda z: 0.3 * z + 1, 0.3, 1 / 0.3),
    "wavy": (lambda z: 2 * (z + 0.5 * torch.sin(3 * z) / 3), 3.0, 1.0),
    "hole around 0": (lambda z: z + 3 * torch.tanh(z), 4.0, 1.0),
}


@pytest.mark.parametrize("target", sorted(REAL))
@pytest.mark.parametrize("name", sorted(MAPS))
def test_no_map_rises_above_its_ceiling(target: str, name: str) -> None:
    real, (g, lipschitz, inverse) = REAL[target], MAPS[name]
    samples, centre = quantiles(real), g(torch.zeros(1).double())
    reached = attained(real, g)
    slack = 2 * np.maximum(1, LAM) / N + 1e-4  # the empirical law is 1/N from the true one
    forward = forward_bound(samples, centre, lipschitz, 1, GRID)
    anywhere = forward_bound_any_centre(samples, lipschitz, 1, GRID)
    backward = inverse_bound(samples, inverse, 1, GRID, centres=64)
    for bound in (forward, anywhere, backward):
        assert (ceiling_curve(GRID, bound).precision >= reached.precision - slack).all()
    assert (anywhere <= forward + 1e-12).all(), "not knowing G(0) cannot help"


def test_two_far_modes_cost_a_short_map_much_and_a_long_map_little() -> None:
    samples, centre = quantiles(REAL["two modes"]), torch.zeros(1).double()
    bounds = [forward_bound(samples, centre, c, 1, GRID)[20] for c in (1.0, 2.0, 4.0, 100.0)]
    assert GRID[20] == 1.0
    assert bounds[0] > 0.9, "N(0,1) stays inside the hole between -4 and 4"
    assert (np.diff(bounds) < 0).all()
    assert bounds[-1] < 0.05


def test_a_narrow_law_is_out_of_reach_of_a_stiff_inverse() -> None:
    samples = quantiles(REAL["narrow"])
    tight, loose = (inverse_bound(samples, c, 1, GRID, centres=200)[20] for c in (0.2, 5.0))
    assert tight > 0.8
    assert loose < 0.05


def test_in_the_plane_isotropic_maps_stay_below() -> None:
    axis = torch.linspace(-12, 12, 601, dtype=torch.float64)
    grid = torch.stack(torch.meshgrid(axis, axis, indexing="ij"), -1)
    centres = torch.tensor([[4.0, 4], [4, -4], [-4, 4], [-4, -4]]).double()
    real = torch.distributions.MixtureSameFamily(
        torch.distributions.Categorical(torch.ones(4).double()),
        torch.distributions.Independent(torch.distributions.Normal(centres, torch.tensor(0.7).double()), 1),
    )
    torch.manual_seed(0)
    samples = real.sample((5000,))
    for scale in (1.0, 2.5):
        model = torch.distributions.Normal(torch.zeros(()).double(), scale).log_prob(grid).sum(-1).exp()
        reached = curve_density(real.log_prob(grid).exp(), model, (24 / 600) ** 2, GRID)
        known = forward_bound(samples, torch.zeros(2), scale, 2, GRID, delta=1e-6)
        assert (ceiling_curve(GRID, known).precision >= reached.precision - 1e-6).all()
        anywhere = forward_bound_any_centre(samples[:1000], scale, 2, GRID, cells=12)
        assert (anywhere <= forward_bound(samples[:1000], torch.zeros(2), scale, 2, GRID) + 1e-12).all()


@few
@given(st.integers(0, 10_000), st.integers(1, 30), st.floats(0.2, 5.0), st.integers(1, 6))
def test_the_radius_found_by_sorting_is_the_best_one(seed: int, n: int, lipschitz: float, dim: int) -> None:
    rng = np.random.default_rng(seed)
    points = torch.tensor(np.round(rng.normal(size=(n, 2)) * 2, 1))  # rounded: distances tie
    distances = points.norm(dim=-1)
    radii = np.concatenate([distances * (1 - 1e-12), np.linspace(0, 12, 500)])
    inside = (distances[None, :].numpy() <= radii[:, None]).mean(1)
    mass = chi2.cdf((radii / lipschitz) ** 2, dim)
    brute = [np.max(mass - lam * inside) - max(0, 1 - lam) for lam in LAM]
    bound = forward_bound(points, torch.zeros(2), lipschitz, dim, GRID)
    assert (bound >= np.maximum(brute, 0) - 1e-8).all()
    at_samples = [np.max(mass[:n] - lam * inside[:n], initial=1 - lam) - max(0, 1 - lam) for lam in LAM]
    np.testing.assert_allclose(bound, np.maximum(at_samples, 0), atol=1e-8)


@few
@given(st.integers(0, 10_000), st.integers(2, 25), st.floats(0.2, 5.0))
def test_the_best_ball_of_the_inverse_bound(seed: int, n: int, inverse: float) -> None:
    points = torch.tensor(np.round(np.random.default_rng(seed).normal(size=(n, 2)), 1))
    apart = torch.cdist(points, points).numpy()
    brute = np.zeros(len(LAM))
    for i in range(n):
        others = np.delete(apart[i], i)
        for radius in others:
            gain = LAM * (others <= radius + 1e-12).mean() - chi2.cdf((inverse * radius) ** 2, 2)
            brute = np.maximum(brute, gain - np.maximum(LAM - 1, 0))
    np.testing.assert_allclose(inverse_bound(points, inverse, 2, GRID), brute, atol=1e-6)


def test_confidence_only_weakens_the_bounds() -> None:
    torch.manual_seed(1)
    samples = REAL["two modes"].sample((500, 1))
    sure, plain = (forward_bound(samples, torch.zeros(1), 1.0, 1, GRID, delta=d) for d in (0.05, None))
    assert (sure <= plain).all()
    assert (sure < plain).any()
    sure, plain = (inverse_bound(samples, 0.2, 1, GRID, delta=d) for d in (0.05, None))
    assert (sure <= plain).all()


@pytest.mark.parametrize("dim", [1, 2, 7, 128])
def test_the_latent_ball_is_the_chi_square_law(dim: int) -> None:
    radius = torch.linspace(0, 20, 50, dtype=torch.float64)
    np.testing.assert_allclose(
        latent_ball_mass(radius, dim).numpy(), chi2.cdf(radius.numpy() ** 2, dim), atol=1e-10
    )


def test_residual_flow_constants_hold_for_a_chain_of_linear_blocks() -> None:
    forward, backward = residual_flow_constants(0.5, 3)
    assert (forward, backward) == (8.0, 3.375)
    torch.manual_seed(2)
    chain = torch.eye(4).double()
    for _ in range(3):
        block = torch.randn(4, 4).double()
        chain = (torch.eye(4) + 0.5 * block / torch.linalg.matrix_norm(block, 2)) @ chain
    assert torch.linalg.matrix_norm(chain, 2) <= backward  # this is G⁻¹
    assert torch.linalg.matrix_norm(torch.linalg.inv(chain), 2) <= forward


def test_bad_constants_are_refused() -> None:
    points = torch.zeros(3, 3)
    with pytest.raises(ValueError, match="Lipschitz constant must be > 0, got 0"):
        forward_bound(points, points[0], 0.0, 2, GRID)
    with pytest.raises(ValueError, match="got 3; give G"):
        forward_bound_any_centre(points, 1.0, 2, GRID)
    with pytest.raises(ValueError, match="at least 2 samples"):
        inverse_bound(points[:1], 1.0, 2, GRID)
    with pytest.raises(ValueError, match="risk δ"):
        forward_bound(points, points[0], 1.0, 2, GRID, delta=2.0)
    with pytest.raises(ValueError, match="trade-offs λ of a ceiling"):
        forward_bound(points, points[0], 1.0, 2, [0.0])
    with pytest.raises(ValueError, match="constant in"):
        residual_flow_constants(1.0, 2)
