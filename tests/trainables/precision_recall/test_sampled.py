"""Curves from samples approach the exact ones, from one side and from both."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.trainables.precision_recall.laws import normal
from trainables.precision_recall import (
    curve_discrete,
    curve_from_both_sides,
    curve_from_log_ratio,
    curve_quadrature,
    equiangular_grid,
)

GRID = equiangular_grid(41)


P, Q = normal(0.0, 1.0), normal(0.3, 1.5)


def log_ratio(x: torch.Tensor) -> torch.Tensor:
    return P.log_prob(x) - Q.log_prob(x)


def test_both_estimates_approach_the_exact_curve() -> None:
    torch.manual_seed(3)
    n = 200_000
    at_model, at_real = log_ratio(Q.sample((n,))), log_ratio(P.sample((n,)))
    exact = curve_quadrature(P.log_prob, Q.log_prob, (-15, 15), GRID)
    one_side = curve_from_log_ratio(at_model, GRID)
    both = curve_from_both_sides(at_real, at_model, GRID)
    error = 5 * np.maximum(1, exact.lam) / np.sqrt(n)
    assert (np.abs(one_side.precision - exact.precision) < 5 / np.sqrt(n)).all()
    assert (np.abs(both.precision - exact.precision) < error).all()
    np.testing.assert_allclose(both.precision, both.lam * both.recall, atol=1e-12)


def test_weights_make_a_discrete_law() -> None:
    p, q = torch.tensor([0.5, 0.3, 0.2, 0.0]).double(), torch.tensor([0.0, 0.2, 0.2, 0.6]).double()
    lam = torch.tensor([0.0, 0.3, 1.0, 4.0, torch.inf])
    curve = curve_from_log_ratio(p.log() - q.log(), lam, weights=q)
    expected = curve_discrete(p, q, lam)
    np.testing.assert_allclose(curve.precision, expected.precision)
    np.testing.assert_allclose(curve.recall, expected.recall)


def test_normalising_makes_the_scale_irrelevant() -> None:
    at_model = log_ratio(torch.linspace(-3, 3, 999).double())
    shifted = curve_from_log_ratio(at_model + 7.0, GRID, normalise=True)
    plain = curve_from_log_ratio(at_model, GRID, normalise=True)
    np.testing.assert_allclose(shifted.precision, plain.precision, rtol=1e-10)
    assert curve_from_log_ratio(at_model, [0.0], normalise=True).recall[0] == pytest.approx(1.0)


def test_a_wrong_ratio_can_only_raise_the_two_sided_curve() -> None:
    """λP(A) + Q(Aᶜ) bounds α_λ for every A; here exactly, on atoms repeated by their masses."""
    p, q = np.array([6, 3, 1, 2]), np.array([1, 3, 6, 2])
    right = np.log(p / q)
    exact = curve_discrete(p / p.sum(), q / q.sum(), GRID)
    for seed in range(20):
        wrong = right + np.random.default_rng(seed).normal(size=4)
        curve = curve_from_both_sides(
            torch.tensor(np.repeat(wrong, p)), torch.tensor(np.repeat(wrong, q)), GRID
        )
        assert (curve.precision >= exact.precision - 1e-12).all()
    curve = curve_from_both_sides(torch.tensor(np.repeat(right, p)), torch.tensor(np.repeat(right, q)), GRID)
    np.testing.assert_allclose(curve.precision, exact.precision, atol=1e-12)


def test_supports_at_the_ends() -> None:
    inf = torch.inf
    at_real = torch.tensor([inf, 0.0, 0.0, 1.0])  # one real sample in four lies off Q
    at_model = torch.tensor([-inf, -inf, 0.0, 1.0])  # two generated ones in four lie off P
    curve = curve_from_both_sides(at_real, at_model, [0.0, inf])
    assert curve.recall[0] == 0.75
    assert curve.precision[1] == 0.5
