"""Rings are circles blurred by a Gaussian: a law of the radius, the same in every direction, one mode each."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from scipy import special, stats

from trainables.datasets.rings import Rings
from trainables.randomness import Noise, Stream


def test_the_density_is_that_of_a_blurred_circle() -> None:
    # p(x) = Σ_k 1/R · (2πσ²)^{-1} exp(-(|x|² + r_k²)/2σ²) I₀(|x| r_k/σ²).
    radii, sigma = (1.0, 2.5), 0.2
    law = Rings(radii=radii, sigma=sigma).source().law
    generator = torch.Generator().manual_seed(0)
    x = 3 * torch.randn(200, 2, generator=generator, dtype=torch.float64)
    norm = x.norm(dim=1).numpy()
    expected = sum(
        special.ive(0, norm * r / sigma**2)
        * stats.norm.pdf(norm, r, sigma)
        / (math.sqrt(2 * math.pi) * sigma)
        / len(radii)
        for r in radii
    )
    torch.testing.assert_close(law.log_prob(x).exp(), torch.from_numpy(expected), rtol=1e-5, atol=1e-12)


def test_every_ring_is_one_mode_of_equal_mass() -> None:
    law = Rings(radii=(0.5, 1.5, 4.0), sigma=0.1).source().law
    angle = torch.linspace(0, 6, 50)
    circle = torch.stack((angle.cos(), angle.sin()), dim=1)
    for ring, radius in enumerate((0.5, 1.5, 4.0)):
        modes = law.modes(torch.cat((radius * circle, (radius + 0.29) * circle, (radius + 0.36) * circle)))
        torch.testing.assert_close(modes.weights, torch.full((3,), 1 / 3, dtype=torch.float64))
        assert bool((modes.nearest == ring).all())
        assert modes.near.tolist() == [True] * 100 + [False] * 50


def test_directions_are_uniform_and_radii_are_near_the_rings() -> None:
    x = Rings(radii=(2.0,), sigma=0.05).source().draw(Noise(torch.tensor([0])), Stream.REAL, 0, 20_000).x[0]
    turn = torch.atan2(x[:, 1], x[:, 0]).double() / (2 * math.pi) + 0.5
    assert stats.kstest(turn.numpy(), "uniform").pvalue > 1e-3
    # |x| = √((r + σN)² + σ²N′²) has mean r + σ²/2r + O(σ⁴).
    assert float(x.norm(dim=1).double().mean()) == pytest.approx(
        2.0 + 0.05**2 / 4, abs=5 * 0.05 / 20_000**0.5
    )


def test_whole_numbers_and_lists_are_one_spelling() -> None:
    listed: Any = Rings(radii=[1, 2], sigma=0.1)  # type: ignore[arg-type]
    assert listed == Rings()
    assert listed.signature() == Rings().signature()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"radii": ()}, "dataset.radii needs at least one ring, got an empty list"),
        ({"radii": (1.0, 0.0)}, "dataset.radii must be positive and finite, got 0.0"),
        ({"radii": (1.0, -2.0)}, "dataset.radii must be positive and finite, got -2.0"),
        ({"sigma": 0.0}, "dataset.sigma must be positive and finite, got 0.0"),
        ({"sigma": 1e-3}, "dataset.sigma must not be below a thousandth of the largest radius, got 0.001"),
        ({"sigma": 1e-300}, "dataset.sigma must be at least 1e-06, got 1e-300; use a larger one"),
        ({"radii": (1, 2, 1)}, "dataset.radii must differ, since each ring is a mode, got [1.0, 2.0, 1.0]"),
    ],
)
def test_refusals(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        Rings(**fields)
    assert str(refusal.value) == sentence
