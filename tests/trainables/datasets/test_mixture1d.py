"""Three modes of masses 0.5, 0.3, 0.2 on a line."""

from __future__ import annotations

from trainables.datasets.mixture1d import Mixture1d
from trainables.sources.mixture import GaussianMixture


def test_the_line_is_what_it_is_called() -> None:
    law = Mixture1d().source().law
    assert isinstance(law, GaussianMixture)
    assert law.means.tolist() == [[-2.0], [0.0], [2.0]]
    assert law.weights.tolist() == [0.5, 0.3, 0.2]
    assert law.sigma == 0.25
    assert law.dim == 1
