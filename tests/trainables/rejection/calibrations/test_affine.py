"""Calibrations that keep the shape of the score."""

from __future__ import annotations

import math

import pytest
import torch

from tests.trainables.rejection.calibrations.test_calibration import gaussians
from trainables.rejection.calibration import calibrate
from trainables.rejection.calibrations import Normalised, Slope, Unchanged
from trainables.rejection.obrs import LOG_EXTREME, obrs_acceptance


def test_none_leaves_scores_as_they_are_inside_what_is_read() -> None:
    scores = torch.tensor([[1.5, -2.0, 3e38, -math.inf]])
    found = Unchanged.fit(*gaussians()).log_ratio(scores)
    assert found.tolist() == [[1.5, -2.0, LOG_EXTREME, -LOG_EXTREME]]


def test_normalised_takes_back_any_offset_of_the_score() -> None:
    real, fake = gaussians(1.0, 2000, trials=3)
    offset = torch.tensor([[0.0], [3.0], [-700.0]], dtype=torch.float64)
    one, two = Normalised.fit(real, fake), Normalised.fit(real + offset, fake + offset)
    torch.testing.assert_close(two.log_ratio(fake + offset), one.log_ratio(fake))
    assert one.log_ratio(fake).exp().mean(dim=1).tolist() == pytest.approx([1.0] * 3)
    assert float((one.log_ratio(fake) - fake).abs().max()) < 0.2


def test_slope_is_platt_scaling() -> None:
    real, fake = gaussians(1.0, 500, trials=2)
    found = Slope.fit(2 * real + 1, 2 * fake + 1)
    slope, offset = calibrate(2 * real + 1, 2 * fake + 1)
    assert torch.equal(found.slope, slope)
    assert torch.equal(found.offset, offset)
    torch.testing.assert_close(
        found.log_ratio(2 * fake + 1), slope[:, None] * (2 * fake + 1) + offset[:, None]
    )


def test_slope_of_scores_with_endless_ones_among_them_is_about_that_of_the_others() -> None:
    real, fake = gaussians(1.0, 2000)
    clean = Slope.fit(real, fake)
    real[0, :3], fake[0, :3] = math.inf, -math.inf
    found = Slope.fit(real, fake)
    assert float(found.slope) == pytest.approx(float(clean.slope), abs=0.05)
    assert found.log_ratio(torch.tensor([[math.inf, -math.inf]])).tolist() == [[LOG_EXTREME, -LOG_EXTREME]]


def test_a_slope_of_zero_makes_one_ratio_of_all_scores_endless_ones_too() -> None:
    real, fake = gaussians()
    found = Slope.fit(fake, real)
    assert float(found.slope) == 0.0
    same = found.log_ratio(torch.tensor([[math.inf, -math.inf, 0.0]]))[0]
    assert same.tolist() == [same[2]] * 3


def test_no_budget_depends_on_the_offset() -> None:
    real, fake = gaussians()
    calibration = Normalised.fit(real, fake + 5)
    for budget in (1.5, 4.0):
        torch.testing.assert_close(
            obrs_acceptance(calibration.log_ratio(fake), budget), obrs_acceptance(fake, budget)
        )


def test_fields_of_another_shape_or_a_falling_slope_are_refused() -> None:
    with pytest.raises(ValueError, match="must be ≥ 0, got -1"):
        Slope.read({"slope": [1.0, -1.0], "offset": [0.0, 0.0]})
    with pytest.raises(ValueError, match=r"offset of calibration 'normalised' must be \(T,\), got \(1, 1\)"):
        Normalised.read({"offset": [[0.0]]})
