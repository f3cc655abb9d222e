"""Local lines follow what is straight exactly, bend with what bends, and say how sure they are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as law

from explorer.results.smooth import interval_of, smooth, student

numbers = st.floats(-100, 100, allow_nan=False)


@given(numbers, numbers, st.integers(0, 1000))
def test_a_line_is_itself(height: float, slope: float, seed: int) -> None:
    x = np.random.default_rng(seed).uniform(-2, 3, 40)
    found = smooth(x, height + slope * x)
    assert found is not None
    np.testing.assert_allclose(found.y, height + slope * found.x, atol=1e-8 * (1 + abs(height) + abs(slope)))
    assert (found.x[0], found.x[-1]) == (x.min(), x.max())
    assert np.nanmax(found.high - found.low) < 1e-5


def test_a_bend_asks_for_short_lines_and_noise_about_a_line_for_long_ones() -> None:
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(-3, 3, 300))
    wave = smooth(x, np.sin(3 * x) + 0.05 * rng.normal(size=300))
    noise = smooth(x, 0.2 * x + rng.normal(size=300))
    assert wave is not None
    assert noise is not None
    assert wave.span < 0.4 < noise.span
    assert np.abs(wave.y - np.sin(3 * wave.x)).max() < 0.12


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    held = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        x = rng.uniform(-1, 1, 60)
        found = smooth(x, 0.5 + 0.3 * x + 0.2 * rng.normal(size=60), at=[-0.5, 0.0, 0.5])
        assert found is not None
        truth = 0.5 + 0.3 * found.x
        held.append((found.low <= truth) & (truth <= found.high))
    assert 0.90 < np.mean(held) < 0.99


def test_the_choice_is_made_of_thinned_points_where_there_are_many() -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 1, 5000)
    found = smooth(x, x**2 + 0.1 * rng.normal(size=5000))
    assert found is not None
    np.testing.assert_allclose(found.y, found.x**2, atol=0.03)


def test_repeated_places_and_what_is_no_number_are_borne() -> None:
    x = np.repeat([0.0, 1.0, 2.0, 3.0, 4.0], 4)
    y = np.append(np.tile([0.1, 0.2, 0.3, 0.4], 5), [math.nan, 1.0])
    found = smooth(np.append(x, [2.0, math.inf]), y)
    assert found is not None
    np.testing.assert_allclose(found.y, 0.25, atol=1e-9)
    assert np.isfinite(found.low).all()
    assert smooth([1, 2, 3, 4], [1, 2, 3, 4]) is None
    assert smooth(np.ones(50), np.arange(50)) is None


@pytest.mark.parametrize("freedom", [1, 2, 5, 30, 400])
def test_quantiles_are_those_of_students_law(freedom: int) -> None:
    assert student(freedom) == pytest.approx(law.ppf(0.975, freedom))
    assert math.isnan(student(0))


def test_a_mean_of_seeds_has_an_interval_from_two_on() -> None:
    mean, low, high = interval_of([0.2, 0.4, 0.6])
    assert (mean, high - mean) == (pytest.approx(0.4), pytest.approx(law.ppf(0.975, 2) * 0.2 / math.sqrt(3)))
    assert mean - low == pytest.approx(high - mean)
    alone = interval_of([0.3])
    assert alone[0] == 0.3
    assert math.isnan(alone[1])
