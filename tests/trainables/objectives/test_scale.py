"""The slope of a critic that understates log r: found where laws are known, finite where points say nothing."""

from __future__ import annotations

import pytest
import torch

from trainables.objectives.scale import followed


@pytest.mark.parametrize("understated", [0.5, 1.0, 7.0])
def test_it_ends_at_what_the_critic_is_short_of(understated: float) -> None:
    # N(0, 1) against N(1, 1): log r = ½ - x, of which the critic knows a part.
    log_slope, generator = torch.zeros(2, 1), torch.Generator().manual_seed(1)
    for _ in range(600):
        real, fake = torch.randn(2, 2, 256, generator=generator)
        log_slope = followed(log_slope, (0.5 - real) / understated, (0.5 - (fake + 1)) / understated)
    torch.testing.assert_close(log_slope.exp(), torch.full((2, 1), understated), rtol=0.15, atol=0.0)


def test_trials_do_not_mix() -> None:
    real, fake = torch.randn(2, 3, 64, generator=torch.Generator().manual_seed(0))
    together = followed(torch.zeros(3, 1), real, fake)
    torch.testing.assert_close(together[1:2], followed(torch.zeros(1, 1), real[1:2], fake[1:2]))


def test_separated_and_equal_points_leave_it_finite() -> None:
    for logit in (0.0, 1e-30, 30.0):
        log_slope, same = torch.zeros(1, 1), torch.full((1, 8), logit)
        for _ in range(500):
            log_slope = followed(log_slope, same, -same)
        assert float(log_slope.abs()) <= 5.0
