"""A 5 × 5 grid in the plane, one apart, σ = 0.1."""

from __future__ import annotations

from itertools import product

from trainables.datasets.gaussians25 import Gaussians25
from trainables.sources.mixture import GaussianMixture


def test_the_grid_is_what_it_is_called() -> None:
    law = Gaussians25().source().law
    assert isinstance(law, GaussianMixture)
    assert {tuple(mean) for mean in law.means.tolist()} == set(product((-2.0, -1.0, 0.0, 1.0, 2.0), repeat=2))
    assert law.weights.tolist() == [0.04] * 25
    assert law.sigma == 0.1
    assert law.dim == 2
