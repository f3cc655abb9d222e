"""A ring of 8 in the plane, radius 2, σ = 0.2."""

from __future__ import annotations

import math

import pytest
import torch

from trainables.datasets.gaussians8 import Gaussians8
from trainables.sources.mixture import GaussianMixture


def test_the_ring_is_what_it_is_called() -> None:
    law = Gaussians8().source().law
    assert isinstance(law, GaussianMixture)
    assert law.means.shape == (8, 2)
    torch.testing.assert_close(law.means.norm(dim=1), torch.full((8,), 2.0))
    gaps = law.means - law.means.roll(1, dims=0)
    torch.testing.assert_close(gaps.norm(dim=1), torch.full((8,), 4 * math.sin(math.pi / 8)))
    torch.testing.assert_close(law.means[0], torch.tensor([2.0, 0.0]))
    assert law.weights.tolist() == [0.125] * 8
    assert law.sigma == 0.2


def test_the_density_on_a_mode_is_that_of_its_gaussian() -> None:
    law = Gaussians8().source().law
    # The neighbours are 7.6σ away: e^{-29} of their height.
    expected = math.log(1 / 8) - math.log(2 * math.pi * 0.04)
    assert float(law.log_prob(torch.tensor([[2.0, 0.0]]).double())) == pytest.approx(expected, abs=1e-9)
