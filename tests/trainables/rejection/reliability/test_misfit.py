"""Tests of log ratios: their levels, their power, and what they do not depend on."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trainables.rejection.reliability.laws import gaussians
from trainables.rejection.reliability.bins import Pooled, sigmoid
from trainables.rejection.reliability.misfit import (
    Misfit,
    contradictions,
    disorder,
    likeliest_offset,
    misfit,
)

RATIOS = st.lists(st.one_of(st.integers(-3, 3).map(float), st.floats(-30, 30)), min_size=1, max_size=60)


def misfit_of(real: np.ndarray, fake: np.ndarray) -> Misfit:
    points = Pooled.of(np.asarray(real), np.asarray(fake))
    return misfit(points, points.groups(10))


@given(RATIOS, RATIOS)
def test_the_likeliest_offset_expects_as_many_real_points_as_there_are(
    real: list[float], fake: list[float]
) -> None:
    points = Pooled.of(np.array(real), np.array(fake))
    b = likeliest_offset(points)
    assert sigmoid(points.log_ratio + b + math.log(len(real) / len(fake))).sum() == pytest.approx(
        len(real), rel=1e-6
    )


@given(RATIOS, RATIOS, st.floats(-500, 500))
def test_nothing_but_the_offset_depends_on_a_factor_of_all_ratios(
    real: list[float], fake: list[float], shift: float
) -> None:
    one = misfit_of(np.array(real), np.array(fake))
    two = misfit_of(np.array(real) + shift, np.array(fake) + shift)
    assert two.offset == pytest.approx(one.offset - shift, abs=1e-5)
    if one.freedom != two.freedom:  # a bin's variance at the edge of what is joined
        return
    assert two.chi_square == pytest.approx(one.chi_square, rel=1e-3, abs=1e-3)
    assert two.z == pytest.approx(one.z, rel=1e-3, abs=1e-3)


def test_kinds_may_change_their_places() -> None:
    """-log r of generated points called real: the same test, the sign of nothing but the offset turned."""
    real, fake = (part.numpy() for part in gaussians(1.0, 700, 400, 5))
    one, two = misfit_of(1.2 * real, 1.2 * fake), misfit_of(-1.2 * fake, -1.2 * real)
    assert two.offset == pytest.approx(-one.offset)
    assert two.z == pytest.approx(one.z)
    assert two.information == pytest.approx(one.information)
    assert two.chi_square == pytest.approx(one.chi_square, rel=0.3)  # bins are cut at the other end


@pytest.mark.parametrize(
    ("count_real", "count_fake", "shift"),
    [(300, 300, 1.0), (1000, 100, 1.0), (100, 1000, 1.5), (400, 400, 0.2), (500, 500, 3.0)],
)
def test_right_ratios_are_refused_as_often_as_the_level_says(
    count_real: int, count_fake: int, shift: float
) -> None:
    """300 repetitions: a rate of 5 % is seen within 1.4 and 10 % in all but one case in a thousand."""
    found = [
        misfit_of(*(part.numpy() for part in gaussians(shift, count_real, count_fake, seed)))
        for seed in range(300)
    ]
    for p in ("p_shape", "p_slope", "p_value"):
        rate = np.mean([getattr(one, p) < 0.05 for one in found])
        assert 0.014 <= rate <= 0.1, p
    standardised = np.array([one.offset / one.offset_error for one in found])
    assert standardised.std() == pytest.approx(1.0, abs=0.15)
    assert abs(standardised.mean()) < 0.25


@pytest.mark.parametrize(("factor", "sign"), [(2.0, -1), (0.5, 1)])
def test_doubled_and_halved_log_ratios_are_refused(factor: float, sign: int) -> None:
    for seed in range(40):
        found = misfit_of(*(factor * part.numpy() for part in gaussians(1.0, 400, 400, seed)))
        assert found.p_value < 0.01
        assert np.sign(found.z) == sign


def test_the_error_of_the_slope_is_that_of_estimates_of_it() -> None:
    from trainables.rejection.calibration import calibrate

    pairs = [gaussians(1.0, 1000, 1000, seed) for seed in range(100)]
    slopes = [float(calibrate(real[None], fake[None])[0]) for real, fake in pairs]
    told = misfit_of(*(part.numpy() for part in pairs[0])).slope_error
    assert np.std(slopes) == pytest.approx(told, rel=0.25)


@given(st.integers(1, 40), st.integers(1, 40), st.floats(-5, 5))
def test_one_ratio_for_all_points_is_never_refused(
    count_real: int, count_fake: int, log_ratio: float
) -> None:
    found = misfit_of(np.full(count_real, log_ratio), np.full(count_fake, log_ratio))
    assert found.p_value == 1.0
    assert found.offset == pytest.approx(-log_ratio, abs=1e-6)
    assert math.isinf(found.slope_error)


def test_ratios_too_extreme_for_normal_laws_are_left_to_the_count_of_contradictions() -> None:
    sure = Pooled.of(np.full(100, 50.0), np.full(100, -50.0))
    assert misfit(sure, sure.groups(10)).freedom == 0
    assert contradictions(sure, 0.0) == 1.0
    wrong = Pooled.of(np.array([50.0] * 97 + [-50.0] * 3), np.full(100, -50.0))
    assert contradictions(wrong, 0.0) < 1e-12


def test_contradictions_of_right_ratios_are_no_news_more_often_than_the_level() -> None:
    p = []
    for seed in range(300):
        real, fake = (part.numpy() for part in gaussians(5.0, 300, 300, seed))
        points = Pooled.of(real, fake)
        p.append(contradictions(points, likeliest_offset(points)))
    assert np.mean(np.array(p) < 0.05) <= 0.05


@pytest.mark.parametrize("bins", [2, 3, 4, 5])
def test_the_law_of_disorder_is_that_of_the_cycles_of_permutations(bins: int) -> None:
    """Shares that are all alike but for one fall: the p-value is Σ_j P(j cycles) P(χ²_{B-j} ≥ the statistic)."""
    from scipy.stats import chi2

    def cycles(order: tuple[int, ...]) -> int:
        seen: set[int] = set()
        count = 0
        for start in range(len(order)):
            if start not in seen:
                count += 1
                while start not in seen:
                    seen.add(start)
                    start = order[start]
        return count

    counts = [cycles(order) for order in permutations(range(bins))]
    real = np.array([60.0] + [50.0] * (bins - 2) + [40.0])
    fake = 100 - real
    statistic = float((100 * (real / 100 - 0.5) ** 2 / 0.25).sum())
    expected = np.mean([chi2.sf(statistic, bins - j) if j < bins else 0.0 for j in counts])
    assert disorder(real, fake) == pytest.approx(expected)


def test_shares_that_rise_are_in_order_and_shares_that_fall_are_not() -> None:
    rising = np.array([10.0, 20, 30, 40])
    assert disorder(rising, 50 - rising) == 1.0
    assert disorder(rising[::-1].copy(), 50 - rising[::-1]) < 1e-6
    assert disorder(np.array([7.0]), np.array([3.0])) == 1.0


def test_shares_that_are_all_alike_are_called_disordered_as_often_as_the_level_says() -> None:
    drawn = np.random.default_rng(0).binomial(200, 0.4, (600, 8)).astype(float)
    p = np.array([disorder(row, 200 - row) for row in drawn])
    assert 0.025 <= np.mean(p < 0.05) <= 0.08
