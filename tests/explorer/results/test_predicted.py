"""The predicted reading at budget K, against discrete laws that are rejected from exactly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.results.predicted import alpha_at, can_predict, predict, refined
from explorer.store.schema import TRADE_OFFS

LAMBDAS = np.array(TRADE_OFFS)
BUDGETS = st.floats(1.0, 12.0)


@st.composite
def laws(draw):
    """Two laws on the same few places, p and q; either may leave places out."""
    size = draw(st.integers(2, 7))
    masses = st.lists(st.integers(0, 20), min_size=size, max_size=size)
    p, q = (np.array(draw(masses.filter(lambda m: sum(m) > 0)), dtype=float) for _ in range(2))
    return p / p.sum(), q / q.sum()


def curve(p, q, lambdas=LAMBDAS):
    """α_λ = Σ min(λp, q), as it is defined."""
    return np.minimum(lambdas[:, None] * p, q).sum(axis=1)


def kept(p, q, budget):
    """The law of what optimal rejection keeps: a = min(c r, 1), c found by halving, then K a q."""
    ratio = np.divide(p, q, out=np.zeros_like(p), where=q > 0)
    mean = lambda c: float((q * np.minimum(c * ratio, 1)).sum())  # noqa: E731
    if mean(1e12) <= 1 / budget:  # fewer draws than that are worth anything: all of those are kept
        return None
    low, high = 0.0, 1e12
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if mean(middle) < 1 / budget else (low, middle)
    return budget * q * np.minimum(high * ratio, 1)


@settings(deadline=None)
@given(laws(), BUDGETS)
def test_the_refined_curve_is_that_of_the_law_that_rejection_leaves(both, budget):
    p, q = both
    left = kept(p, q, budget)
    if left is None:
        return
    assert left.sum() == pytest.approx(1, abs=1e-6)
    # α between two λ is taken as a line, so that a curve that bends between them is a little underrated.
    exact = curve(p, left)
    found = refined(curve(p, q), budget)
    assert (found <= exact + 1e-6).all()
    np.testing.assert_allclose(found, exact, atol=0.03)


@settings(deadline=None)
@given(laws(), BUDGETS)
def test_at_knots_it_is_exact(both, budget):
    p, q = both
    left = kept(p, q, budget)
    if left is None:
        return
    lambdas = LAMBDAS[::7]
    found = alpha_at(curve(p, q), lambdas * budget, budget)
    np.testing.assert_allclose(found, curve(p, left, lambdas * budget), atol=1e-6)


@given(laws(), BUDGETS)
def test_precision_never_falls_and_recall_never_rises_with_the_budget(both, budget):
    p, q = both
    alphas = curve(p, q)[None]
    precision, recall = alphas[:, 90], alphas[:, 30] / LAMBDAS[30]
    assert predict("precision", [budget], alphas, precision)[0, 0] >= precision[0] - 1e-9
    assert predict("recall", [budget], alphas, recall)[0, 0] <= recall[0] + 1e-2


@given(laws(), st.integers(0, 120))
def test_at_budget_one_it_is_what_was_measured(both, at):
    p, q = both
    alphas = curve(p, q)[None]
    assert predict("precision", [1], alphas, alphas[:, at])[0, 0] == pytest.approx(alphas[0, at], abs=1e-9)
    beta = alphas[:, at] / LAMBDAS[at]
    assert predict("recall", [1], alphas, beta)[0, 0] == pytest.approx(beta[0], abs=1e-6)


@given(laws(), st.floats(0.0, 1.0))
def test_at_budget_one_it_is_what_was_measured_between_two_lambdas_too(both, share):
    p, q = both
    alphas = curve(p, q)[None]
    beta = alphas[0] / LAMBDAS
    for name, ends in (("precision", alphas[0, [0, -1]]), ("recall", beta[[-1, 0]])):
        value = ends[0] + share * (ends[1] - ends[0])
        assert predict(name, [1], alphas, [value])[0, 0] == pytest.approx(value, abs=1e-6)


def test_no_estimate_of_a_curve_foretells_more_than_one():
    alphas = np.minimum(1.001 * LAMBDAS, np.minimum(1.0, 0.6 + 0.2 * LAMBDAS))[None]
    for name in ("precision", "recall", "prd.f8", "prd.f1_8"):
        assert (predict(name, [1.0, 1.5, 2.0, 4.0], alphas, [0.98]) <= 1 + 1e-12).all()


def test_two_places_by_hand():
    """Half of q lies where p is not: K = 2 leaves p itself."""
    p, q = np.array([1.0, 0.0]), np.array([0.5, 0.5])
    alphas = curve(p, q)[None]
    assert alphas[0, -1] == 0.5
    assert predict("precision", [1.5], alphas, [0.5])[0, 0] == pytest.approx(0.75)
    assert predict("precision", [2], alphas, [0.5])[0, 0] == pytest.approx(1)
    assert predict("recall", [2], alphas, [1.0])[0, 0] == pytest.approx(1)
    assert predict("prd.auc", [2], alphas, [np.nan])[0, 0] == pytest.approx(1, abs=2e-3)
    assert predict("prd.f8", [2], alphas, [np.nan])[0, 0] == pytest.approx(1, abs=2e-2)


def test_summaries_of_a_curve_are_those_of_its_definition():
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(12)), rng.dirichlet(np.ones(12))
    fine = np.tan(np.linspace(1e-4, np.pi / 2 - 1e-4, 20001))
    alpha = curve(p, q, fine)
    beta = alpha / fine
    alphas = curve(p, q)[None]
    area = 0.5 * np.trapezoid(beta**2, fine)
    assert predict("classifier.auc", [1], alphas, [np.nan])[0, 0] == pytest.approx(area, abs=3e-3)
    for name, s in (("prd.f8", 8.0), ("prd.f1_8", 1 / 8)):
        largest = ((1 + s**2) * alpha * beta / (s**2 * alpha + beta)).max()
        assert predict(name, [1], alphas, [np.nan])[0, 0] == pytest.approx(largest, abs=1e-2)


def test_what_is_not_known_is_not_predicted():
    alphas = np.full((1, 121), np.nan)
    assert np.isnan(predict("precision", [2], alphas, [0.5])).all()
    assert np.isnan(predict("recall", [2], np.full((1, 121), 0.5), [np.nan])).all()
    assert np.isnan(predict("fid", [2], np.full((1, 121), 0.5), [3.0])).all()
    assert can_predict("prd.f1_8")
    assert not can_predict("fid")
