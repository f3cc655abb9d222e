"""Platt scaling recovers the scale of a critic whose true ratio is known."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from trainables.rejection.calibration import calibrate


def scores(shift: float, scale: float, count: int = 4000, offset: float = 0.0) -> tuple[Tensor, Tensor]:
    """``scale`` · log r + ``offset`` for P = N(shift, 1), Q = N(0, 1): log r(x) = shift·x - shift²/2; (1, N) each."""
    x = torch.randn(2, count, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    real, fake = x[0] + shift, x[1]

    def score(points: Tensor) -> Tensor:
        return (scale * (shift * points - shift**2 / 2) + offset).unsqueeze(0)

    return score(real), score(fake)


@pytest.mark.parametrize("scale", [1e-3, 0.1, 0.5, 1.0, 2.0, 10.0])
@pytest.mark.parametrize("shift", [1.0, 2.0])
@pytest.mark.parametrize("offset", [0.0, 3.0])
def test_recovers_slope_and_offset(scale: float, shift: float, offset: float) -> None:
    slope, intercept = calibrate(*scores(shift, scale, offset=offset))
    assert float(slope) * scale == pytest.approx(1.0, abs=0.1)
    assert float(intercept) + float(slope) * offset == pytest.approx(0.0, abs=0.15)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 15.0])
def test_more_steps_change_nothing(scale: float) -> None:
    real, fake = scores(2.0, scale)
    few, many = calibrate(real, fake), calibrate(real, fake, steps=300)
    torch.testing.assert_close(few[0], many[0], rtol=1e-8, atol=0)
    torch.testing.assert_close(few[1], many[1], rtol=0, atol=1e-8)


def test_is_the_optimum_of_the_regularised_loss() -> None:
    real, fake = scores(1.0, 0.3, count=300)
    slope, intercept = calibrate(real, fake)
    every = torch.cat((real, fake), dim=1)
    spread = float((every - every.median()).abs().mean())

    def loss(a: Tensor, b: Tensor) -> Tensor:
        softplus = torch.nn.functional.softplus
        fit = softplus(-(a * real + b)).mean() + softplus(a * fake + b).mean()
        return fit + 0.5 / 300 * (spread * (a - 1)) ** 2

    a, b = slope[0].clone().requires_grad_(), intercept[0].clone().requires_grad_()
    for gradient in torch.autograd.grad(loss(a, b), (a, b)):
        assert float(gradient) == pytest.approx(0.0, abs=1e-8)


def test_a_critic_that_cannot_tell_leaves_its_scale() -> None:
    slope, intercept = calibrate(torch.zeros(1, 50), torch.zeros(1, 50))
    assert float(slope) == pytest.approx(1.0)
    assert float(intercept) == pytest.approx(0.0, abs=1e-9)


def test_a_critic_that_prefers_generated_points_is_not_believed() -> None:
    real, fake = scores(1.0, 1.0)
    assert float(calibrate(fake, real)[0]) == 0.0


def test_perfect_separation_stays_finite() -> None:
    slope, intercept = calibrate(torch.full((1, 40), 30.0), torch.full((1, 40), -30.0))
    assert 0.1 < float(slope) <= 2.0
    assert torch.isfinite(intercept).all()


def test_numbers_of_real_and_generated_points_may_differ() -> None:
    real, fake = scores(1.0, 1.0)
    slope, intercept = calibrate(real[:, :500], fake)
    assert float(slope) == pytest.approx(1.0, abs=0.2)
    assert float(intercept) == pytest.approx(0.0, abs=0.2)


def test_trials_are_fitted_apart() -> None:
    pairs = [scores(1.0, 0.1), scores(2.0, 4.0), scores(1.5, 1.0)]
    together = calibrate(torch.cat([r for r, _ in pairs]), torch.cat([f for _, f in pairs]))
    for index, (real, fake) in enumerate(pairs):
        alone = calibrate(real, fake)
        torch.testing.assert_close(together[0][index : index + 1], alone[0])
        torch.testing.assert_close(together[1][index : index + 1], alone[1])


def test_scores_beyond_measure_do_not_stop_the_others() -> None:
    real, fake = (torch.cat((s.float(), torch.full_like(s.float(), 3e38))) for s in scores(1.0, 1.0))
    real[1, ::2] = 0.0
    slope, _ = calibrate(real, fake)
    assert float(slope[0]) == pytest.approx(1.0, abs=0.1)
    assert torch.isfinite(slope).all()
    assert slope.dtype == torch.float32
