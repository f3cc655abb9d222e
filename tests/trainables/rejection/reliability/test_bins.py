"""Bins: what is expected of them and what is seen, against sums by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trainables.rejection.reliability.laws import gaussians
from trainables.rejection.reliability.bins import Bins, Pooled, bins_of, sigmoid

RATIOS = st.lists(
    st.one_of(st.integers(-3, 3).map(float), st.floats(-30, 30), st.sampled_from([1e4, -1e4])),
    min_size=1,
    max_size=60,
)


def table(real: list[float], fake: list[float], most: int = 5, budget: float = 2.0) -> tuple[Pooled, Bins]:
    points = Pooled.of(np.array(real), np.array(fake))
    return points, bins_of(points, points.groups(most), budget)


@given(RATIOS, RATIOS, st.integers(1, 12))
def test_every_point_is_in_one_bin_and_equal_ratios_are_together(
    real: list[float], fake: list[float], most: int
) -> None:
    points = Pooled.of(np.array(real), np.array(fake))
    group = points.groups(most)
    assert group[0] == 0
    assert set(np.diff(group)) <= {0, 1}
    assert int(group[-1]) < most
    same = np.diff(points.log_ratio) == 0
    assert not np.diff(group)[same].any()
    assert float(points.weight.sum()) == pytest.approx(2.0)
    heaviest = max(float(points.weight[points.log_ratio == value].sum()) for value in points.log_ratio)
    masses = np.bincount(group, points.weight)
    assert masses.max() <= 2 / most + heaviest + 1e-9


@given(RATIOS, RATIOS, st.floats(1, 20))
def test_what_is_seen_is_counted_and_lies_in_its_interval(
    real: list[float], fake: list[float], budget: float
) -> None:
    _, found = table(real, fake, budget=budget)
    assert found.real.sum() == len(real)
    assert found.fake.sum() == len(fake)
    for b in range(len(found)):
        inside = [found.low[b] <= value <= found.high[b] for value in real]
        assert sum(inside) == found.real[b]
        shares = found.real[b] / len(real), found.fake[b] / len(fake)
        assert found.observed_share[b] == pytest.approx(shares[0] / sum(shares))
        if found.fake[b]:
            assert found.observed_ratio[b] == pytest.approx(shares[0] / shares[1])
        else:
            assert math.isinf(found.observed_ratio[b])
    for what in ("share", "acceptance"):
        low, seen, high = (
            getattr(found, name) for name in (f"{what}_low", f"observed_{what}", f"{what}_high")
        )
        assert (low <= seen + 1e-9).all()
        assert (seen <= high + 1e-9).all()
        assert ((low >= 0) & (high <= 1)).all()
    assert (np.diff(found.expected_share) >= -1e-12).all()
    assert (np.diff(found.expected_acceptance) >= -1e-12).all()


@given(RATIOS, RATIOS)
def test_the_expected_ratio_is_the_odds_of_the_expected_share(real: list[float], fake: list[float]) -> None:
    points, found = table(real, fake)
    group = points.groups(5)
    for b in range(len(found)):
        own = group == b
        share = float((points.weight * sigmoid(points.log_ratio))[own].sum() / points.weight[own].sum())
        assert found.expected_share[b] == pytest.approx(share)
        if 1e-9 < share < 1 - 1e-9:
            assert found.expected_ratio[b] == pytest.approx(share / (1 - share), rel=1e-6)


@given(RATIOS, RATIOS, st.floats(1, 20))
def test_one_draw_in_the_budget_is_kept_as_expected(
    real: list[float], fake: list[float], budget: float
) -> None:
    _, found = table(real, fake, budget=budget)
    assert found.expected_acceptance @ found.fake / len(fake) == pytest.approx(1 / budget, abs=1e-9)


@given(RATIOS, RATIOS, st.floats(1, 20))
def test_one_draw_in_the_budget_is_kept_as_observed(
    real: list[float], fake: list[float], budget: float
) -> None:
    """Where no generated point is left to accept, the rest of the budget is spread over those of ratio 0."""
    _, found = table(real, fake, budget=budget)
    assert found.observed_acceptance @ found.fake / len(fake) == pytest.approx(1 / budget, abs=1e-9)


def test_observed_acceptance_is_that_of_ratios_put_right_bin_by_bin() -> None:
    """Two bins of ratios ¼ and 1 at K = 2, by hand."""
    low, high = math.log(0.25), 0.0
    _, found = table([low] * 10 + [high] * 40, [low] * 20 + [high] * 10, most=2, budget=2.0)
    # 30 draws, 15 are kept. Expected: 10 + 20·¼ = 15 with c = 1.
    assert found.expected_acceptance.tolist() == pytest.approx([0.25, 1.0])
    # Seen: (10/50)/(20/30) = 0.3 and (40/50)/(10/30) = 2.4; without clipping c = ½, with it 10 + 20·0.3c = 15.
    assert found.observed_ratio.tolist() == pytest.approx([0.3, 2.4])
    assert found.observed_acceptance.tolist() == pytest.approx([0.25, 1.0])
    _, found = table([low] * 40 + [high] * 10, [low] * 20 + [high] * 10, most=2, budget=2.0)
    # Seen: 1.2 and 0.6, c = 15/(20·1.2 + 10·0.6) = ½: nothing is clipped.
    assert found.observed_acceptance.tolist() == pytest.approx([0.6, 0.3])


def test_right_ratios_are_expected_to_be_what_is_seen() -> None:
    real, fake = gaussians(1.0, 40_000, 20_000, 3)
    points = Pooled.of(real.numpy(), fake.numpy())
    found = bins_of(points, points.groups(10), 4.0)
    np.testing.assert_allclose(found.observed_share, found.expected_share, atol=0.03)
    np.testing.assert_allclose(found.observed_acceptance, found.expected_acceptance, atol=0.06)
    np.testing.assert_allclose(found.observed_ratio, found.expected_ratio, rtol=0.15)
    assert np.ptp(found.real / 40_000 + found.fake / 20_000) < 1e-3
