"""Platt scaling recovers the scale of a critic whose true ratio is known."""

from __future__ import annotations

import math

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


@pytest.mark.parametrize(("count_real", "count_fake"), [(300, 300), (20, 300), (300, 7)])
@pytest.mark.parametrize("scale", [0.3, 1.0, 40.0])
def test_is_the_optimum_of_its_loss(count_real: int, count_fake: int, scale: float) -> None:
    real, fake = scores(1.0, scale, count=300)
    real, fake = real[:, :count_real], fake[:, :count_fake]
    every = torch.cat((real, fake), dim=1)
    belief = torch.sigmoid(every)
    unsure = belief * torch.sigmoid(-every)
    unsure[:, :count_real] /= count_real
    unsure[:, count_real:] /= count_fake
    trust = 4 / min(count_real, count_fake) * unsure / unsure.sum()

    def entropy(target: Tensor | float, z: Tensor) -> Tensor:
        return torch.nn.functional.softplus(z) - target * z

    def loss(a: Tensor, b: Tensor) -> Tensor:
        fit = entropy(1.0, a * real + b).mean() + entropy(0.0, a * fake + b).mean()
        return fit + (trust * entropy(belief, a * every + b)).sum()

    a, b = (x[0].clone().requires_grad_() for x in calibrate(real, fake))
    for gradient in torch.autograd.grad(loss(a, b), (a, b)):
        assert float(gradient) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(("count_real", "count_fake"), [(20_000, 20_000), (400, 40_000), (40_000, 400)])
def test_the_exact_log_ratio_is_left_as_it_is_whatever_the_numbers(count_real: int, count_fake: int) -> None:
    """Counted alike, the points would give the offset log(N/M) = ±4.6; 40 repetitions bring the mean within 0.05."""
    generator = torch.Generator().manual_seed(1)
    real = torch.randn(40, count_real, generator=generator, dtype=torch.float64) + 1 - 0.5
    fake = torch.randn(40, count_fake, generator=generator, dtype=torch.float64) - 0.5
    slope, intercept = calibrate(real, fake)
    assert float(slope.mean()) == pytest.approx(1.0, abs=0.05)
    assert float(intercept.mean()) == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("scale", [10.0, 100.0, 1000.0])
def test_few_points_are_enough_to_overrule_a_scale_that_is_far_off(scale: float) -> None:
    """A critic without a scale, 50 points of either kind: the prior a = 1 is worth four points, whatever the scale."""
    generator = torch.Generator().manual_seed(2)
    x = torch.randn(2, 60, 50, generator=generator, dtype=torch.float64)
    slope, intercept = calibrate(scale * (x[0] + 0.5), scale * (x[1] - 0.5))
    assert float((slope * scale).median()) == pytest.approx(1.0, abs=0.15)
    assert float(intercept.median()) == pytest.approx(0.0, abs=0.1)


def test_a_critic_that_cannot_tell_leaves_its_scale() -> None:
    slope, intercept = calibrate(torch.zeros(1, 50), torch.zeros(1, 50))
    assert float(slope) == pytest.approx(1.0)
    assert float(intercept) == pytest.approx(0.0, abs=1e-9)


def test_a_critic_that_prefers_generated_points_is_not_believed() -> None:
    real, fake = scores(1.0, 1.0)
    slope, intercept = calibrate(fake + 5, real + 5)
    assert float(slope) == 0.0
    assert float(intercept) == pytest.approx(0.0, abs=1e-3)  # the ratio 1 everywhere


def test_scores_that_are_all_alike_say_that_the_ratio_is_one() -> None:
    slope, intercept = calibrate(torch.full((1, 400), 30.0), torch.full((1, 50), 30.0))
    assert float(slope) == pytest.approx(1.0)
    # 1 : 1 from the points, and the belief, 4 of 50, says "real".
    assert float(30 * slope + intercept) == pytest.approx(math.log(1 + 4 / 50), abs=1e-4)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0, 1e4])
@pytest.mark.parametrize(("count_real", "count_fake"), [(40, 40), (4, 400), (400, 4), (1, 1)])
def test_separated_points_give_finite_values_that_more_steps_do_not_change(
    scale: float, count_real: int, count_fake: int
) -> None:
    """No finite slope is best for the points alone; the critic's belief keeps it within log(n) of 1, per score."""
    generator = torch.Generator().manual_seed(3)
    real = scale * (1 + torch.rand(1, count_real, generator=generator, dtype=torch.float64))
    fake = -scale * (1 + torch.rand(1, count_fake, generator=generator, dtype=torch.float64))
    slope, intercept = calibrate(real, fake)
    rarer = min(count_real, count_fake)
    assert 1 - 1e-4 <= float(slope) <= 1 + math.log(1 + rarer) / scale
    assert abs(float(intercept)) < 1.0
    more = calibrate(real, fake, steps=2000)
    torch.testing.assert_close((slope, intercept), more, rtol=1e-6, atol=1e-6)


def test_an_exact_critic_keeps_its_scale_where_the_laws_hardly_overlap() -> None:
    """P = N(6, 1), Q = N(0, 1), 200 points each: four samples in five are separated, and would allow any slope."""
    generator = torch.Generator().manual_seed(4)
    x = torch.randn(2, 60, 200, generator=generator, dtype=torch.float64)
    real, fake = 6 * (x[0] + 6) - 18, 6 * x[1] - 18
    assert float((real.min(1).values > fake.max(1).values).double().mean()) > 0.6
    slope, _ = calibrate(real, fake)
    assert 0.8 < float(slope.median()) < 1.6
    assert float(slope.max()) < 10


def test_points_of_both_kinds_are_asked_for() -> None:
    with pytest.raises(ValueError, match="got 0 real and 4 generated"):
        calibrate(torch.zeros(1, 0), torch.zeros(1, 4))


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
