"""Intervals from samples drawn again: their spread is the standard error, and they hold the value."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainables.measures.bootstrap import estimate, histogram_draws, mean_draws


@pytest.mark.parametrize("kind", ["share", "continuous"])
def test_bootstrap_of_a_mean_has_its_standard_error(kind):
    rng = np.random.default_rng(0)
    values = rng.random(9000) < 0.3 if kind == "share" else rng.normal(size=9000)
    draws = mean_draws(values, 400, rng)
    assert draws.mean() == pytest.approx(values.mean(), abs=5e-4 + values.std() / 600)
    assert draws.std() == pytest.approx(values.std() / np.sqrt(9000), rel=0.15)
    found = estimate(float(values.mean()), draws)
    assert found.high - found.low == pytest.approx(3.92 * values.std() / np.sqrt(9000), rel=0.2)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=8).filter(any), st.integers(0, 1000))
def test_drawn_histograms_keep_the_total_and_the_empty_bins(counts, seed):
    counts = np.array(counts)
    drawn = histogram_draws(counts, 5, np.random.default_rng(seed))
    assert drawn.shape == (5, len(counts))
    assert (drawn.sum(axis=1) == counts.sum()).all()
    assert (drawn[:, counts == 0] == 0).all()


def test_drawn_histograms_scatter_as_a_multinomial():
    counts = np.array([600, 300, 100])
    drawn = histogram_draws(counts, 4000, np.random.default_rng(1))
    np.testing.assert_allclose(drawn.mean(axis=0), counts, rtol=0.02)
    np.testing.assert_allclose(drawn.var(axis=0), counts * (1 - counts / 1000), rtol=0.1)


def test_the_interval_is_central_and_always_holds_the_value():
    draws = np.arange(101.0)
    found = estimate(50.0, draws, 0.9)
    assert (found.value, found.low, found.high) == (50.0, pytest.approx(5.0), pytest.approx(95.0))
    assert estimate(-3.0, draws).low == -3.0
    assert estimate(300.0, draws).high == 300.0


def test_interval_level_is_checked():
    with pytest.raises(ValueError, match=r"\(0, 1\)"):
        estimate(0.0, np.zeros(3), 1.0)
