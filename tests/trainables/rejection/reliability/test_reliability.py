"""The whole of a reliability: its numbers against what they say, its file, and what is refused."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainables.rejection.reliability.laws import gaussians
from trainables.rejection.obrs import obrs_acceptance
from trainables.rejection.reliability import Reliability, reliability

RATIOS = st.lists(
    st.one_of(st.integers(-3, 3).map(float), st.floats(-40, 40), st.sampled_from([math.inf, -math.inf])),
    min_size=1,
    max_size=40,
)


@given(RATIOS, RATIOS, st.sampled_from([1.0, 1.5, 4.0, 100.0]))
def test_any_numbers_are_judged_and_told_in_json(real: list[float], fake: list[float], budget: float) -> None:
    found = reliability(torch.tensor(real), torch.tensor(fake), budget)
    told = json.loads(json.dumps(found.plain(), allow_nan=False))
    assert told["verdict"]["sentence"].endswith(".")
    assert told["bins"]["real"] == found.bins.real.tolist()
    for value in (found.error, found.misplaced, found.misplaced_by_chance, found.moved):
        assert 0 <= value <= 1 + 1e-9
    assert 1 - 1e-9 <= found.effective <= len(fake) + 1e-9
    assert 1 / len(fake) - 1e-9 <= found.largest <= 1 + 1e-9


def test_numbers_are_what_they_say() -> None:
    real, fake = gaussians(1.0, 500, 800, 0)
    found = reliability(1.5 * real, 1.5 * fake, 3.0)
    bins = found.bins
    mass = (bins.real / 500 + bins.fake / 800) / 2
    assert found.error == pytest.approx(float(mass @ np.abs(bins.observed_share - bins.expected_share)))
    ratio = (1.5 * fake).exp()
    assert found.effective == pytest.approx(float(ratio.sum() ** 2 / (ratio**2).sum()))
    assert found.largest == pytest.approx(float(ratio.max() / ratio.sum()))
    kept = obrs_acceptance(1.5 * fake, 3.0)
    assert found.moved == pytest.approx(float((3 * kept - 1).abs().mean() / 2))
    assert bool((kept[1.5 * fake > found.certain + 1e-9] == 1).all())
    assert bool((kept[1.5 * fake < found.certain - 1e-9] < 1).all())
    apart = np.abs(bins.observed_acceptance - bins.expected_acceptance)
    assert found.misplaced == pytest.approx(1.5 * float(apart @ bins.fake) / 800)


@pytest.mark.parametrize(
    ("count_real", "count_fake", "shift"), [(600, 600, 1.0), (200, 1500, 0.7), (1500, 300, 1.5)]
)
def test_what_is_told_of_chance_is_the_mean_over_right_ratios(
    count_real: int, count_fake: int, shift: float
) -> None:
    found: list[Reliability] = [
        reliability(*gaussians(shift, count_real, count_fake, seed), 4.0) for seed in range(50)
    ]
    for what in ("error", "misplaced"):
        seen = np.mean([getattr(one, what) for one in found])
        told = np.mean([getattr(one, f"{what}_by_chance") for one in found])
        assert told == pytest.approx(seen, rel=0.2), what


def test_what_is_misplaced_is_the_distance_of_the_laws_that_rejection_leaves() -> None:
    """Log ratios twice too large, at so many points that bins see the truth: TV of Q a K and Q a' K, on a fine grid."""
    real, fake = gaussians(1.0, 60_000, 60_000, 1)
    found = reliability(2 * real, 2 * fake, 4.0, bins=60)
    kept, right = obrs_acceptance(2 * fake, 4.0), obrs_acceptance(fake, 4.0)
    assert found.misplaced == pytest.approx(float(2 * (kept - right).abs().mean()), abs=0.015)


@settings(max_examples=20)
@given(st.floats(-300, 300))
def test_a_factor_of_all_ratios_changes_nothing_that_rejection_sees(shift: float) -> None:
    real, fake = gaussians(1.0, 150, 150, 2)
    one, two = reliability(real, fake, 4.0), reliability(real + shift, fake + shift, 4.0)
    np.testing.assert_allclose(
        two.bins.expected_acceptance, one.bins.expected_acceptance, rtol=1e-6, atol=1e-9
    )
    assert two.moved == pytest.approx(one.moved, rel=1e-6)
    assert two.verdict.trusted == one.verdict.trusted
    assert two.misfit.p_value == pytest.approx(one.misfit.p_value, rel=1e-3)


def test_bins_are_fewer_where_points_are() -> None:
    assert len(reliability(*gaussians(1.0, 500, 500, 0), 2.0).bins) == 10
    assert len(reliability(*gaussians(1.0, 500, 500, 0), 2.0, bins=4).bins) == 4
    assert len(reliability(*gaussians(1.0, 30, 30, 0), 2.0).bins) == 3
    assert len(reliability(torch.zeros(500), torch.zeros(500), 2.0).bins) == 1
    assert len(reliability(torch.ones(1), torch.zeros(1), 2.0).bins) == 1


def test_nothing_is_left_to_chance_twice() -> None:
    pair = gaussians(1.0, 200, 200, 0)
    assert reliability(*pair, 4.0).plain() == reliability(*pair, 4.0).plain()


def test_gradients_and_single_precision_do_not_matter() -> None:
    real, fake = (part.float().requires_grad_() for part in gaussians(1.0, 100, 100, 0))
    assert reliability(real, fake, 2.0).verdict == reliability(real.detach(), fake.detach(), 2.0).verdict


def test_what_is_no_log_ratio_is_refused() -> None:
    good, bad = torch.zeros(4), torch.tensor([0.0, math.nan])
    with pytest.raises(ValueError, match="1 of 2 of generated points are NaN"):
        reliability(good, bad, 2.0)
    with pytest.raises(ValueError, match="1 of 2 of real points are NaN"):
        reliability(bad, good, 2.0)
    with pytest.raises(ValueError, match=r"of real points must be \(n,\) with n ≥ 1, got \(0,\)"):
        reliability(torch.zeros(0), good, 2.0)
    with pytest.raises(ValueError, match=r"of generated points must be \(n,\) with n ≥ 1, got \(1, 4\)"):
        reliability(good, good[None], 2.0)
    with pytest.raises(ValueError, match=r"K must be ≥ 1, got 0\.5"):
        reliability(good, good, 0.5)
    with pytest.raises(ValueError, match="K must be a number ≥ 1, got inf"):
        reliability(good, good, math.inf)
