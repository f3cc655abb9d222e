"""Statistics of a batch and random numbers are noticed; rounding is not."""

from __future__ import annotations

import torch
from torch import Tensor

from trainables.samplers.mixing import differ, mixes

POINTS = torch.randn(64, 3, generator=torch.Generator().manual_seed(0))


def test_what_treats_rows_by_themselves_does_not_mix() -> None:
    assert not mixes(lambda count: (POINTS[:count].sin(), POINTS[:count].sum(1)), 16)


def test_statistics_of_a_batch_mix_wherever_they_are() -> None:
    def passed(count: int) -> tuple[Tensor, Tensor]:
        points = POINTS[:count]
        return points, points.sum(1) - points.mean()

    assert mixes(passed, 16)


def test_random_numbers_of_its_own_mix() -> None:
    generator = torch.Generator().manual_seed(1)
    assert mixes(lambda count: [POINTS[:count] + torch.randn(count, 3, generator=generator)], 16)


def test_rounding_is_no_difference_and_missing_numbers_are_equal() -> None:
    x = torch.tensor([1.0, float("nan"), 1e-5])
    assert not differ(x, x + torch.tensor([1e-5, 0.0, 1e-5]))
    assert differ(torch.ones(3), torch.tensor([1.0, 1.0, 1.1]))
