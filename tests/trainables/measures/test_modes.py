"""Mode measures on points whose modes are counted by hand."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from trainables.datasets import DATASETS
from trainables.measures.modes import mode_shares
from trainables.randomness import Noise, Stream
from trainables.sources.mixture import GaussianMixture


def mixture(name: str) -> GaussianMixture:
    law = DATASETS[name]().source().law
    assert isinstance(law, GaussianMixture)
    return law


def measured_at(law: GaussianMixture, points: torch.Tensor) -> SimpleNamespace:
    return SimpleNamespace(
        **{name: float(values[0]) for name, values in mode_shares(law.modes(points), 1).items()}
    )


def test_perfect_collapsed_and_lost() -> None:
    law = mixture("gaussians8")
    perfect = measured_at(law, law.means)
    assert (perfect.quality, perfect.modes_hit, perfect.modes_held) == (1.0, 1.0, 1.0)
    collapsed = measured_at(law, law.means[:1].repeat(100, 1))
    assert (collapsed.quality, collapsed.modes_hit, collapsed.modes_held) == (1.0, 1 / 8, 1 / 8)
    lost = measured_at(law, torch.zeros(100, 2))
    assert (lost.quality, lost.modes_hit, lost.modes_held) == (0.0, 0.0, 0.0)


def test_three_sigma_is_the_border() -> None:
    law = mixture("mixture1d")
    inside, outside = law.means[:1] + 2.99 * law.sigma, law.means[:1] + 3.01 * law.sigma
    assert measured_at(law, torch.cat((inside, outside))).quality == 0.5


def test_a_mode_is_held_from_a_fifth_of_its_own_mass() -> None:
    law = mixture("mixture1d")  # weights 0.5, 0.3, 0.2: a fifth of each is 10, 6, 4 of 100 points

    def held(*counts: int) -> float:
        points = torch.cat([law.means[i : i + 1].repeat(n, 1) for i, n in enumerate(counts)])
        return float(measured_at(law, points).modes_held)

    assert held(86, 10, 4) == 1.0
    assert held(87, 10, 3) == pytest.approx(2 / 3)
    assert held(9, 81, 10) == pytest.approx(2 / 3)
    assert held(10, 80, 10) == 1.0


@pytest.mark.parametrize("name", ["gaussians8", "gaussians25", "mixture1d"])
def test_real_samples_have_the_quality_of_a_gaussian_ball(name: str) -> None:
    law = mixture(name)
    noise, count = Noise(torch.tensor([1])), 20_000
    x = law.transform(
        noise.uniform(Stream.REAL, 0, count)[0], noise.normal(Stream.REAL, 1, count, law.dim)[0]
    )
    radius = torch.distributions.Chi2(law.dim).cdf(torch.tensor(9.0))  # P(‖N(0, I)‖ ≤ 3)
    measured = measured_at(law, x)
    assert measured.quality == pytest.approx(float(radius), abs=5 * (0.012 / count) ** 0.5)
    assert measured.modes_hit == measured.modes_held == 1.0


def test_points_that_are_not_numbers_have_no_quality() -> None:
    assert measured_at(mixture("gaussians8"), torch.full((4, 2), torch.nan)).quality == 0.0


def test_sets_in_a_row_are_measured_apart() -> None:
    law = mixture("gaussians25")
    sets = torch.randn(4, 60, 2, generator=torch.Generator().manual_seed(0)) * 3
    together = mode_shares(law.modes(sets.flatten(0, 1)), 4)
    for index, points in enumerate(sets):
        alone = measured_at(law, points)
        assert {name: float(values[index]) for name, values in together.items()} == vars(alone)
