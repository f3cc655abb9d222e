"""Mode measures look at the samples themselves, and only where the law has modes."""

from __future__ import annotations

import torch

from trainables.datasets.gaussians8 import Gaussians8
from trainables.metrics.modes import ModesOfLaw
from trainables.metrics.pair import Pair
from trainables.sources.mixture import GaussianMixture


def law() -> GaussianMixture:
    found = Gaussians8().source().law
    assert isinstance(found, GaussianMixture)
    return found


def test_half_of_the_modes_and_one_point_astray() -> None:
    points = torch.cat((law().means[:4], torch.zeros(1, 2)))
    values = ModesOfLaw().measure(Pair(points, points, law=law())).values
    assert values == {"quality": 0.8, "modes_hit": 0.5, "modes_held": 0.5}


def test_points_are_looked_at_where_features_are_others() -> None:
    features = torch.zeros(8, 5)
    scores = ModesOfLaw().measure(Pair(features, features, points=law().means, law=law()))
    assert scores.values["quality"] == 1.0


def test_without_a_law_there_is_a_sentence() -> None:
    x = torch.zeros(4, 2)
    scores = ModesOfLaw().measure(Pair(x, x))
    assert scores.values == {}
    assert scores.left_out == "mode measures need a law with modes, which this data has not"
