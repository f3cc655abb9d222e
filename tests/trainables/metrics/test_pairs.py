"""Sets measured together give what each gives by itself, on the CPU and on a GPU."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from trainables.metrics import METRICS, Metric
from trainables.metrics.pair import Pair
from trainables.metrics.pairs import Pairs
from trainables.sources.mixture import GaussianMixture

GENERATOR = torch.Generator().manual_seed(0)
LAW = GaussianMixture(torch.randn(5, 2, generator=GENERATOR) * 3, torch.full((5,), 0.2).double(), 0.3)

devices = pytest.mark.parametrize(
    "device",
    [
        "cpu",
        pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")),
    ],
)


def pairs(device: str, dimension: int = 2) -> Pairs:
    generator = torch.Generator().manual_seed(1)
    real = torch.randn(90, dimension, generator=generator)
    fake = torch.randn(6, 70, dimension, generator=generator)
    fake[2, :30] = real[:30]
    fake[3] = fake[3, :1]
    logits = torch.randn(6, 70, 4, generator=generator)
    one = Pair(
        real.to(device),
        fake[0].to(device),
        k=3,
        orders=(3, 9),
        law=LAW.to(device) if dimension == 2 else None,
    )
    return Pairs(one, fake.to(device), fake.to(device), logits.to(device))


def alone(metric: Metric, these: Pairs) -> list[dict[str, float]]:
    return [dict(metric.measure(pair).values) for pair in these.one_by_one()]


@devices
@pytest.mark.parametrize("name", sorted(METRICS.loaded()))
@pytest.mark.parametrize("dimension", [2, 7])
def test_together_as_alone(name: str, dimension: int, device: str) -> None:
    metric = METRICS[name]()
    these = pairs(device, dimension)
    together = [dict(scores.values) for scores in metric.measure_all(these)]
    for found, expected in zip(together, alone(metric, these), strict=True):
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


@devices
def test_pairs_by_themselves_are_on_the_cpu_and_whole(device: str) -> None:
    these = pairs(device)
    assert len(these) == 6
    for index, pair in enumerate(these.one_by_one()):
        parts = (pair.real, pair.fake, pair.points, pair.logits)
        assert all(isinstance(part, Tensor) and part.device.type == "cpu" for part in parts)
        assert torch.equal(pair.fake, these.fake[index].cpu())
        assert pair.law is not None
        assert (pair.k, pair.orders) == (3, (3, 9))


@devices
def test_distances_are_computed_once_for_all_orders(device: str) -> None:
    these = pairs(device)
    first = these.balls(3)
    assert these.balls(3) is first
    assert these.balls(9).k == 9
    assert first.real_balls_around_fake.shape == (6, 70)
    assert first.fakes_in_real_ball.shape == (6, 90)
