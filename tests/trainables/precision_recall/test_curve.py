"""A curve as data: its area, its F-scores, the swap of the laws and the stretch of rejection."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainables.precision_recall.laws import Pair, law_pairs
from trainables.precision_recall import PRCurve, curve_discrete, equiangular_grid, f_score

few = settings(max_examples=40)
GRID = torch.cat([torch.zeros(1, dtype=torch.float64), equiangular_grid(101), torch.tensor([torch.inf])])


FINITE = GRID[1:-1]


@few
@given(law_pairs())
def test_swapping_the_laws_swaps_precision_and_recall(pair: Pair) -> None:
    p, q = pair
    swapped = curve_discrete(p, q, GRID).swapped()
    direct = curve_discrete(q, p, GRID)
    np.testing.assert_allclose(swapped.lam, direct.lam)
    np.testing.assert_allclose(swapped.precision, direct.precision, atol=1e-12)
    np.testing.assert_allclose(swapped.recall, direct.recall, atol=1e-12)


@few
@given(law_pairs(), st.floats(1, 20))
def test_stretching_keeps_the_ray_and_caps_precision(pair: Pair, budget: float) -> None:
    curve = curve_discrete(*pair, FINITE)
    refined = curve.stretched(budget)
    np.testing.assert_allclose(refined.precision, np.minimum(1, budget * curve.precision))
    np.testing.assert_allclose(refined.precision, refined.lam * refined.recall, rtol=1e-9, atol=1e-12)


def test_an_f_score_without_precision_or_recall_is_zero() -> None:
    assert float(f_score(1.0, 0.0, 8)) == 0.0
    assert float(f_score(0.0, 0.0, 8)) == 0.0


@few
@given(st.floats(0.01, 1), st.floats(0.01, 1), st.floats(0.05, 20))
def test_the_f_score_is_a_weighted_harmonic_mean(alpha: float, beta: float, s: float) -> None:
    """F_s = (1+s²)/(1/α·1 + s²/β): between α and β, and mirrored by s → 1/s."""
    value = float(f_score(alpha, beta, s))
    assert value == pytest.approx((1 + s**2) / (1 / alpha + s**2 / beta), rel=1e-9)
    assert min(alpha, beta) - 1e-12 <= value <= max(alpha, beta) + 1e-12
    assert value == pytest.approx(float(f_score(beta, alpha, 1 / s)), rel=1e-9)


@few
@given(law_pairs(), st.lists(st.floats(1e-2, 1e2), min_size=2, max_size=8, unique=True))
def test_the_area_is_that_of_the_polygon_through_the_points(pair: Pair, lambdas: list[float]) -> None:
    """The shoelace formula on the origin, the foot on the recall axis, the points, the foot on the other axis."""
    curve = curve_discrete(*pair, lambdas)
    x = np.concatenate([[0.0, curve.recall[0]], curve.recall, [0.0]])
    y = np.concatenate([[0.0, 0.0], curve.precision, [curve.precision[-1]]])
    shoelace = 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))
    assert float(curve.auc()) == pytest.approx(shoelace, abs=1e-12)


@few
@given(law_pairs())
def test_what_the_curve_lacks_is_the_pr_divergence(pair: Pair) -> None:
    p, q = pair
    curve = curve_discrete(p, q, FINITE)
    expected = [
        np.maximum(lam * p - q, 0).sum() if lam <= 1 else np.maximum(q - lam * p, 0).sum()
        for lam in curve.lam
    ]
    np.testing.assert_allclose(curve.pr_divergence(), expected, atol=1e-11)


def test_a_pack_of_curves_is_summarised_one_by_one() -> None:
    lam = np.array([0.5, 1.0, 2.0])
    alpha = np.array([[0.5, 0.8, 0.9], [0.1, 0.2, 0.3]])
    pack = PRCurve(lam, alpha, alpha / lam)
    for i in range(2):
        one = PRCurve(lam, alpha[i], alpha[i] / lam)
        assert float(pack.auc()[i]) == float(one.auc())
        assert float(pack.f_max(8.0)[i]) == float(one.f_max(8.0))


def test_bad_weights_and_budgets_are_refused() -> None:
    with pytest.raises(ValueError, match=r"budget K must be ≥ 1, got 0\.5"):
        PRCurve(np.ones(1), np.ones(1), np.ones(1)).stretched(0.5)
    with pytest.raises(ValueError, match="weight s of F_s must be > 0, got 0; use 8 for recall"):
        f_score(1.0, 1.0, 0.0)
