"""Exact curves of known laws: the definition, the ends, merging, histograms, densities, bad input."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainables.precision_recall.laws import Pair, law_pairs, normal, trade_offs
from trainables.precision_recall import (
    as_law,
    curve_density,
    curve_discrete,
    curve_histogram,
    curve_quadrature,
    equiangular_grid,
    quadrature_masses,
)

few = settings(max_examples=40)
GRID = torch.cat([torch.zeros(1, dtype=torch.float64), equiangular_grid(101), torch.tensor([torch.inf])])


FINITE = GRID[1:-1]


@few
@given(law_pairs(), st.lists(trade_offs, min_size=1, max_size=10))
def test_the_curve_is_the_integral_of_the_minimum(pair: Pair, lambdas: list[float]) -> None:
    p, q = pair
    curve = curve_discrete(p, q, lambdas)
    expected = [np.minimum(lam * p, q).sum() for lam in sorted(lambdas)]
    np.testing.assert_allclose(curve.precision, expected, atol=1e-12)
    np.testing.assert_allclose(curve.precision, curve.lam * curve.recall, atol=1e-12)  # α = λβ


@few
@given(law_pairs(), st.integers(1, 5), st.integers(0, 1000))
def test_merging_bins_never_lowers_the_curve(pair: Pair, bins: int, seed: int) -> None:
    p, q = pair
    into = np.random.default_rng(seed).integers(0, bins, size=p.size)
    merged = curve_discrete(np.bincount(into, p, bins), np.bincount(into, q, bins), GRID)
    fine = curve_discrete(p, q, GRID)
    assert (merged.precision >= fine.precision - 1e-12).all()
    assert (merged.recall >= fine.recall - 1e-12).all()


@few
@given(law_pairs())
def test_the_ends_are_the_masses_of_the_supports(pair: Pair) -> None:
    p, q = pair
    curve = curve_discrete(p, q, [0.0, np.inf])
    assert curve.precision[1] == pytest.approx(q[p > 0].sum(), abs=1e-12)
    assert curve.recall[0] == pytest.approx(p[q > 0].sum(), abs=1e-12)
    assert curve.precision[0] == 0.0
    assert curve.recall[1] == 0.0


def test_histograms_are_normalised_counts_of_any_shape() -> None:
    real, model = np.array([[5, 3], [2, 0]]), np.array([[20, 20], [40, 20]])
    curve = curve_histogram(real, model, FINITE)
    expected = curve_discrete([0.5, 0.3, 0.2, 0], [0.2, 0.2, 0.4, 0.2], FINITE)
    np.testing.assert_allclose(curve.precision, expected.precision)


def test_density_grid_and_quadrature_agree_with_the_normal_closed_form() -> None:
    """Two unit normals at distance m: r is log-normal, α_λ = λΦ(t-m/2)… with t = -log λ/m."""
    shift, standard = 1.3, normal(0.0, 1.0)
    p, q = normal(shift, 1.0), standard
    edge = (-FINITE.log() + shift**2 / 2) / shift  # r = exp(shift·x - shift²/2) < 1/λ left of it
    expected = FINITE * standard.cdf(edge - shift) + standard.cdf(-edge)
    by_quadrature = curve_quadrature(p.log_prob, q.log_prob, (-12, 14), FINITE)
    np.testing.assert_allclose(by_quadrature.precision, expected.numpy(), atol=1e-6)
    x = torch.linspace(-12, 14, 20001, dtype=torch.float64)
    on_grid = curve_density(p.log_prob(x).exp(), q.log_prob(x).exp(), float(x[1] - x[0]), FINITE)
    np.testing.assert_allclose(on_grid.precision, expected.numpy(), atol=1e-5)


@pytest.mark.parametrize(
    ("p", "q", "message"),
    [
        ([0.5, 0.6], [0.5, 0.5], "probabilities of p must sum to 1, got 1.1"),
        ([1.5, -0.5], [0.5, 0.5], "every probability of p must be ≥ 0, got -0.5"),
        ([0.5, 0.5], [1.0], "same number of entries, got 2 and 1"),
        ([0.5, np.nan], [0.5, 0.5], "every probability of p must be ≥ 0, got nan"),
        ([], [], "p must be a list of probabilities"),
    ],
)
def test_bad_laws_are_refused(p: list[float], q: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        curve_discrete(p, q, [1.0])


def test_other_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="trade-offs λ must be"):
        curve_discrete([1.0], [1.0], [-1.0])
    with pytest.raises(ValueError, match=r"mass 1 on the grid, got 0\.5"):
        curve_density([0.5], [1.0], 1.0, [1.0])
    with pytest.raises(ValueError, match="model counts must be ≥ 0 and not all 0, got a sum of 0"):
        curve_histogram([1, 2], [0, 0], [1.0])
    with pytest.raises(ValueError, match=r"low < high, got \(1, 1\)"):
        quadrature_masses(lambda x: x, lambda x: x, (1.0, 1.0))


def test_rounded_decimals_are_a_law_and_are_normalised() -> None:
    law = as_law([0.3333333, 0.3333333, 0.3333333])
    assert law.dtype == torch.float64
    assert float(law.sum()) == pytest.approx(1.0, abs=1e-15)
    with pytest.raises(ValueError, match=r"probabilities of --real must sum to 1, got 0\.999; divide each"):
        as_law([0.333, 0.333, 0.333], "--real")


@few
@given(st.lists(st.floats(-2, 2), min_size=1, max_size=16), st.integers(1, 4))
def test_the_quadrature_integrates_polynomials_of_degree_fifteen(values: list[float], panels: int) -> None:
    """Eight Gauss-Legendre nodes are exact up to degree 2·8 - 1, on any number of panels."""
    polynomial = np.polynomial.Polynomial([abs(v) + 1e-3 for v in values])
    exact = polynomial.integ()(1.5) - polynomial.integ()(0.5)
    log_density = lambda x: torch.tensor(np.log(polynomial(x.numpy())))  # noqa: E731
    p, q = quadrature_masses(log_density, lambda x: 0 * x, (0.5, 1.5), panels)
    assert float(p.sum()) == pytest.approx(exact, rel=1e-11)
    assert float(q.sum()) == pytest.approx(1.0, rel=1e-12)
    assert p.shape == (8 * panels,)
