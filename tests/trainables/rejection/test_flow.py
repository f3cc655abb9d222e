"""The flow of a divergence: its slopes are those of f′, and its steps those of the differential equation."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from trainables.rejection.flow import SLOPES, flowed

DERIVATIVES = {
    "kl": lambda t: 1 + t.log(),
    "js": lambda t: (2 * t / (1 + t)).log(),
    "logd": lambda t: 1 + (1 + t).log(),
}
"""f′ of ρ/μ."""


def still(step: int) -> Tensor:
    """A noise that nobody may ask for."""
    raise AssertionError(f"noise was asked for at step {step}")


@pytest.mark.parametrize("name", SLOPES)
@given(d=st.floats(-20, 20))
def test_slopes_are_those_of_the_first_variation(name: str, d: float) -> None:
    score = torch.tensor(d, dtype=torch.float64, requires_grad=True)
    (expected,) = torch.autograd.grad(-DERIVATIVES[name]((-score).exp()), score)
    torch.testing.assert_close(SLOPES[name](score.detach()), expected, rtol=1e-6, atol=1e-12)


def test_every_divergence_is_tested() -> None:
    assert DERIVATIVES.keys() == SLOPES.keys()


def test_without_steps_latents_stay() -> None:
    latent = torch.randn(2, 5, 3)
    assert torch.equal(flowed(latent, lambda z: z.sum(2), still, 0, "kl", 0.1, 0.5), latent)


@pytest.mark.parametrize("name", SLOPES)
def test_steps_are_those_of_the_equation(name: str) -> None:
    # P = N(1, 1) against Q = N(0, 1), generated as it is: d(z) = z - 1/2, whose slope is 1.
    rate, steps = 0.1, 7
    z = torch.linspace(-3, 3, 11, dtype=torch.float64)
    latent = z.reshape(1, -1, 1)
    for _ in range(steps):
        z = z + rate * SLOPES[name](z - 0.5)
    found = flowed(latent, lambda z: z[..., 0] - 0.5, still, steps, name, rate, 0.0)
    torch.testing.assert_close(found[0, :, 0], z)
    if name == "kl":
        torch.testing.assert_close(found, latent + steps * rate)


def test_small_steps_follow_the_differential_equation() -> None:
    # P = N(0, s²) against Q = N(0, 1): d′(z) = z (1 - 1/s²), so that z(t) = z(0) e^{(1 - 1/s²) t}.
    latent = torch.linspace(-3, 3, 11, dtype=torch.float64).reshape(1, -1, 1)
    spread, time = 0.5, 0.4
    exact = latent * torch.tensor((1 - 1 / spread**2) * time).exp()
    errors = []
    for steps in (50, 100, 200):
        found = flowed(
            latent,
            lambda z: 0.5 * z[..., 0] ** 2 * (1 - 1 / spread**2),
            still,
            steps,
            "kl",
            time / steps,
            0.0,
        )
        errors.append(float((found - exact).abs().max()))
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.1), "Euler's steps are of first order"
    assert errors[1] / errors[2] == pytest.approx(2, rel=0.1)
    assert errors[2] < 0.01


def test_the_gradient_passes_through_the_generator() -> None:
    latent = torch.randn(1, 4, 2, dtype=torch.float64)
    matrix = torch.tensor([[2.0, 0.0], [1.0, -1.0]], dtype=torch.float64)
    slope = torch.tensor([0.3, 0.7], dtype=torch.float64)
    with torch.no_grad():  # as in a stream: the flow takes its own gradients
        found = flowed(latent, lambda z: (z @ matrix.T) @ slope, still, 1, "kl", 0.1, 0.0)
    torch.testing.assert_close(found, latent + 0.1 * matrix.T @ slope)
    assert not found.requires_grad


def test_noise_has_the_variance_of_brownian_motion_and_is_that_of_its_step() -> None:
    asked: list[int] = []

    def noise(step: int) -> Tensor:
        asked.append(step)
        return torch.full((1, 3, 2), float(step + 1))

    rate, weight = 0.02, 0.3
    latent = torch.zeros(1, 3, 2)
    found = flowed(latent, lambda z: 0.0 * z.sum(2), noise, 3, "js", rate, weight)
    assert asked == [0, 1, 2]
    torch.testing.assert_close(found, torch.full((1, 3, 2), (2 * rate * weight) ** 0.5 * (1 + 2 + 3)))


def test_with_all_of_the_noise_the_flow_ends_at_its_stationary_law() -> None:
    # d = -(z - 1)² and ν = 1: dz = -2 (z - 1) dt + √2 dW, whose stationary law is N(1, 1/2).
    draws, rate, steps = 10_000, 0.02, 150
    generator = torch.Generator().manual_seed(0)
    latent = torch.randn(1, draws, 1, generator=generator)
    normals = torch.randn(steps, 1, draws, 1, generator=generator)
    found = flowed(latent, lambda z: -((z[..., 0] - 1) ** 2), lambda s: normals[s], steps, "kl", rate, 1.0)
    variance = 2 * rate / (1 - (1 - 2 * rate) ** 2)  # of the steps, as they are
    assert variance == pytest.approx(0.5, abs=0.02)
    error = (variance / draws) ** 0.5
    assert float(found.mean()) == pytest.approx(1.0, abs=5 * error)
    assert float(found.var()) == pytest.approx(variance, rel=5 * (2 / draws) ** 0.5)


def test_images_move_as_numbers_do() -> None:
    flat = torch.randn(2, 3, 8, dtype=torch.float64)
    square = flat.reshape(2, 3, 2, 2, 2)
    one = flowed(flat, lambda z: z.sin().sum(2), still, 4, "js", 0.1, 0.0)
    other = flowed(square, lambda z: z.flatten(2).sin().sum(2), still, 4, "js", 0.1, 0.0)
    torch.testing.assert_close(other.flatten(2), one)
