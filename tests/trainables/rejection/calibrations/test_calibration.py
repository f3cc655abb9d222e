"""What every calibration keeps: order, gradients, its file, its trials apart, clear words on scores that are none."""

from __future__ import annotations

import json
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from trainables.rejection.calibrations import CALIBRATIONS, Calibration, Slope, read_calibration
from trainables.rejection.calibrations.calibration import checked, log_mean_ratio
from trainables.rejection.obrs import LOG_EXTREME

NAMES = sorted(CALIBRATIONS)
SCORES = st.one_of(
    st.integers(-3, 3).map(float), st.floats(-50, 50, width=32), st.sampled_from([math.inf, -math.inf])
)
LISTS = st.lists(SCORES, min_size=1, max_size=25)


def gaussians(shift: float = 1.0, count: int = 4000, trials: int = 1, seed: int = 0) -> tuple[Tensor, Tensor]:
    """log r of P = N(shift, 1) and Q = N(0, 1) at points of each, (T, N) both."""
    x = torch.randn(2, trials, count, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return shift * (x[0] + shift) - shift**2 / 2, shift * x[1] - shift**2 / 2


def fitted(name: str, real: Tensor, fake: Tensor) -> Calibration:
    return CALIBRATIONS[name].fit(real, fake)


@pytest.mark.parametrize("name", NAMES)
@given(LISTS, LISTS, LISTS)
def test_order_is_kept_and_every_log_ratio_is_finite(
    name: str, real: list[float], fake: list[float], more: list[float]
) -> None:
    calibration = fitted(name, torch.tensor([real]), torch.tensor([fake]))
    scores = torch.tensor([sorted([*real, *fake, *more, math.inf, -math.inf])])
    found = calibration.log_ratio(scores)
    assert found.shape == scores.shape
    assert found.dtype == scores.dtype
    assert bool((found.abs() <= LOG_EXTREME).all())
    assert bool((found.diff(dim=1) >= 0).all())


@pytest.mark.parametrize("name", ["normalised", "isotonic"])
@given(LISTS, LISTS)
def test_the_mean_ratio_of_the_generated_points_is_one(
    name: str, real: list[float], fake: list[float]
) -> None:
    # Scores are read inside ±LOG_EXTREME, where a normalised ratio may reach that bound: here none does.
    scores = torch.tensor([fake], dtype=torch.float64).clamp(-60, 60)
    found = fitted(name, torch.tensor([real], dtype=torch.float64).clamp(-60, 60), scores)
    assert float(log_mean_ratio(found.log_ratio(scores))) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
@given(LISTS, LISTS)
def test_a_file_keeps_it_exactly(name: str, real: list[float], fake: list[float]) -> None:
    calibration = fitted(name, torch.tensor([real]), torch.tensor([fake]))
    for kept in (
        read_calibration(json.loads(json.dumps(calibration.plain()))),
        type(calibration).read(calibration.tensors()),
    ):
        assert type(kept) is type(calibration)
        scores = torch.linspace(-60, 60, 200).unsqueeze(0)
        assert torch.equal(kept.log_ratio(scores), calibration.log_ratio(scores))


@pytest.mark.parametrize("name", NAMES)
def test_trials_are_fitted_apart_and_taken_out_one_by_one(name: str) -> None:
    pairs = [gaussians(shift, 300, seed=seed) for seed, shift in enumerate((0.5, 1.0, 2.0, 5.0))]
    real, fake = (torch.cat([pair[side] for pair in pairs]) for side in (0, 1))
    together = fitted(name, real, fake)
    scores = torch.linspace(-8, 8, 50, dtype=torch.float64).expand(4, 50)
    found = together.log_ratio(scores)
    for place, pair in enumerate(pairs):
        alone = fitted(name, *pair).log_ratio(scores[:1])
        torch.testing.assert_close(found[place : place + 1], alone, rtol=1e-9, atol=1e-9)
        assert torch.equal(together.trial(place).log_ratio(scores[:1]), found[place : place + 1])


@pytest.mark.parametrize("name", NAMES)
def test_gradients_go_through_to_the_scores(name: str) -> None:
    calibration = fitted(name, *gaussians(1.0, 500, trials=2))
    scores = torch.linspace(-2.0, 2.0, 37, dtype=torch.float64).repeat(2, 1).requires_grad_()
    assert torch.autograd.gradcheck(calibration.log_ratio, (scores,))
    (gradient,) = torch.autograd.grad(calibration.log_ratio(scores).sum(), scores)
    assert float(gradient.mean()) == pytest.approx(1.0, abs=0.25)


@pytest.mark.parametrize("name", NAMES)
def test_gradients_at_endless_scores_are_numbers(name: str) -> None:
    calibration = fitted(name, *gaussians(1.0, 100))
    scores = torch.tensor([[math.inf, -math.inf, 1e38, -1e38]], requires_grad=True)
    (gradient,) = torch.autograd.grad(calibration.log_ratio(scores).sum(), scores)
    assert gradient.tolist() == [[0.0] * 4]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shift", [0.5, 1.5])
@pytest.mark.parametrize(("count_real", "count_fake"), [(8000, 8000), (800, 8000), (8000, 800)])
def test_exact_log_ratios_stay_within_the_error_of_sampling(
    name: str, shift: float, count_real: int, count_fake: int
) -> None:
    real, fake = gaussians(shift, 8000, trials=4, seed=5)
    calibration = fitted(name, real[:, :count_real], fake[:, :count_fake])
    truth = gaussians(shift, 4000, trials=4, seed=6)[1]
    off = (calibration.log_ratio(truth) - truth).abs().mean(dim=1)
    limit = {"none": 0.0, "normalised": 0.12, "slope": 0.12, "isotonic": 0.3}[name]
    assert float(off.mean()) <= limit


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [0, 1])
def test_nan_is_refused_with_the_trial_and_the_number(name: str, kind: int) -> None:
    pair = [torch.zeros(3, 5), torch.zeros(3, 5)]
    pair[kind][1, 2:4] = torch.nan
    words = f"2 of 5 of {('real', 'generated')[kind]} points of trial 1 are NaN"
    with pytest.raises(ValueError, match=words):
        fitted(name, *pair)


@pytest.mark.parametrize("name", NAMES)
def test_shapes_that_do_not_fit_and_a_kind_without_points_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"got 0 real and 4 generated"):
        fitted(name, torch.zeros(1, 0), torch.zeros(1, 4))
    with pytest.raises(ValueError, match=r"got \(2, 3\) and \(1, 3\)"):
        fitted(name, torch.zeros(2, 3), torch.zeros(1, 3))
    with pytest.raises(ValueError, match=r"got \(3,\) and \(3,\)"):
        fitted(name, torch.zeros(3), torch.zeros(3))


@pytest.mark.parametrize("name", NAMES)
def test_nan_scores_stay_nan_where_the_map_is_used(name: str) -> None:
    found = fitted(name, *gaussians(1.0, 100)).log_ratio(torch.tensor([[0.0, torch.nan]]))
    assert found.isnan().tolist() == [[False, True]]


@given(st.lists(SCORES, min_size=2, max_size=20), st.integers(1, 19))
def test_endless_scores_become_the_outermost_and_order_stays(scores: list[float], cut: int) -> None:
    cut = min(cut, len(scores) - 1)
    real, fake = checked(torch.tensor([scores[:cut]]), torch.tensor([scores[cut:]]))
    found = torch.cat((real, fake), dim=1)[0]
    assert bool(found.isfinite().all())
    before = torch.tensor(scores)
    assert torch.equal(
        before.unsqueeze(0) < before.unsqueeze(1), found.unsqueeze(0) < found.unsqueeze(1)
    ) or not bool(before.isfinite().any())
    assert torch.equal(found[before.isfinite()], before[before.isfinite()].double())


def test_what_a_file_tells_that_is_no_calibration_is_refused() -> None:
    with pytest.raises(ValueError, match="must have offset, slope, got slope"):
        Slope.read({"name": "slope", "slope": [1.0]})
    with pytest.raises(ValueError, match="must be arrays of numbers"):
        Slope.read({"slope": ["a"], "offset": [0.0]})
    with pytest.raises(ValueError, match="must be of as many trials, got slope 2, offset 1"):
        Slope.read({"slope": [1.0, 1.0], "offset": [0.0]})
    with pytest.raises(ValueError, match="must be finite numbers"):
        Slope.read({"slope": [1.0], "offset": [math.nan]})


def test_a_calibration_can_be_moved_to_another_device() -> None:
    calibration = fitted("isotonic", *gaussians(1.0, 50))
    moved = calibration.to("meta")
    assert all(values.device.type == "meta" for values in moved.tensors().values())
