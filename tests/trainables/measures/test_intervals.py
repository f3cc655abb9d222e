"""Ends of intervals against the inequalities they solve."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student

from trainables.measures.intervals import pivot, quantile, score_interval, wilson


def test_quantiles() -> None:
    assert quantile(0.95) == pytest.approx(norm.ppf(0.975))
    assert quantile(0.9, 5) == pytest.approx(student.ppf(0.95, 5))
    with pytest.raises(ValueError, match=r"must lie in \(0, 1\), got 1; use 0.95"):
        quantile(1.0)


@given(st.integers(0, 40), st.floats(0.5, 1000), st.floats(0.5, 4))
def test_wilson_solves_its_inequality_inside_the_range(count: int, n: float, t: float) -> None:
    share = count / 40
    low, high = wilson(share, n, t)
    assert 0 <= low <= share <= high <= 1
    assert high - low > 0
    for end in (low, high):
        if 0 < end < 1:
            assert (share - end) ** 2 == pytest.approx(t * t * end * (1 - end) / n, rel=1e-6, abs=1e-12)


def test_wilson_at_the_edges_in_closed_form() -> None:
    assert wilson(0.0, 50, 2.0) == pytest.approx((0.0, 4 / 54))
    assert wilson(1.0, 50, 2.0) == pytest.approx((50 / 54, 1.0))
    with pytest.raises(ValueError, match=r"got 1\.2 of 5"):
        wilson(1.2, 5, 2.0)


@given(st.floats(0, 100), st.floats(0.001, 50), st.floats(0, 20))
def test_a_score_interval_solves_its_inequality(value: float, unit: float, floor: float) -> None:
    low, high = score_interval(value, unit, floor)
    assert low <= value <= high
    assert high > value
    for end in (low, high):
        assert (value - end) ** 2 == pytest.approx(unit * end + floor, rel=1e-6, abs=1e-6)
    assert floor > 0 or low >= -1e-9


def test_without_a_unit_it_is_symmetric() -> None:
    assert score_interval(-3.0, 0.0, 4.0) == (-5.0, -1.0)


def test_a_pivot_mirrors_the_draws_at_the_value() -> None:
    draws = np.arange(101.0)
    assert pivot(10.0, draws, 0.9) == pytest.approx((20 - 95, 20 - 5))


def test_a_pivot_takes_a_bias_off_where_percentiles_double_it() -> None:
    """The square of a mean is too large by its variance: 10 means squared, summed, of 1 each at most."""
    rng = np.random.default_rng(0)
    held = {"pivot": 0, "percentiles": 0}
    for _ in range(200):
        x = rng.normal(size=(30, 10)) + 0.5
        draws = x[rng.integers(30, size=(300, 30))].mean(axis=1)
        drawn = (draws**2).sum(axis=1)
        low, high = pivot(float((x.mean(axis=0) ** 2).sum()), drawn)
        held["pivot"] += low <= 2.5 <= high
        low, high = np.quantile(drawn, [0.025, 0.975])
        held["percentiles"] += low <= 2.5 <= high
    assert held["percentiles"] < 180 < held["pivot"]
