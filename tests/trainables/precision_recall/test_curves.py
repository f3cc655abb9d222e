"""Exact curves: their definition, shape, symmetries, limits and summaries."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from tests.trainables.precision_recall.laws import law_pairs, trade_offs
from trainables.precision_recall import (
    PRCurve,
    RatioLaw,
    curve_density,
    curve_discrete,
    curve_histogram,
    curve_quadrature,
    equiangular_grid,
    f_score,
)

few = settings(max_examples=40, deadline=None)

Pair = tuple[np.ndarray, np.ndarray]
GRID = torch.cat([torch.zeros(1, dtype=torch.float64), equiangular_grid(101), torch.tensor([torch.inf])])
FINITE = GRID[1:-1]


def law_of(pair: Pair) -> RatioLaw:
    return RatioLaw.from_masses(torch.tensor(pair[0]), torch.tensor(pair[1]))


def normal(mean: float, scale: float) -> torch.distributions.Normal:
    return torch.distributions.Normal(torch.tensor(mean).double(), torch.tensor(scale).double())


@few
@given(st.integers(1, 60))
def test_the_grid_is_equiangular_and_its_own_mirror(n: int) -> None:
    lam = equiangular_grid(n)
    angles = lam.atan()
    steps = torch.cat([angles[:1], angles.diff(), torch.pi / 2 - angles[-1:]])
    torch.testing.assert_close(steps, torch.full_like(steps, torch.pi / 2 / (n + 1)))
    torch.testing.assert_close(lam * lam.flip(0), torch.ones_like(lam))


@few
@given(law_pairs(), st.lists(trade_offs, min_size=1, max_size=10))
def test_the_curve_is_the_integral_of_the_minimum(pair: Pair, lambdas: list[float]) -> None:
    p, q = pair
    curve = curve_discrete(p, q, lambdas)
    expected = [np.minimum(lam * p, q).sum() for lam in sorted(lambdas)]
    np.testing.assert_allclose(curve.precision, expected, atol=1e-12)
    np.testing.assert_allclose(curve.precision, curve.lam * curve.recall, atol=1e-12)  # α = λβ


@few
@given(law_pairs())
def test_precision_rises_recall_falls_both_concave(pair: Pair) -> None:
    law = law_of(pair)
    curve = law.curve(GRID)
    assert (np.diff(curve.precision) >= -1e-12).all()
    assert (np.diff(curve.recall) <= 1e-12).all()
    even = torch.linspace(0, 20, 201, dtype=torch.float64)
    assert (np.diff(law.alpha(even).numpy(), 2) <= 1e-11).all(), "α_λ is concave in λ"
    recall = law.beta(1.0 / even[1:])
    assert (np.diff(recall.numpy(), 2) <= 1e-11).all(), "β_λ is concave in 1/λ"
    assert (curve.precision[:-1] <= np.minimum(1, curve.lam[:-1]) + 1e-12).all()


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


@few
@given(law_pairs(max_size=5, positive=True))
def test_the_exact_area_is_half_the_integral_of_recall_squared(pair: Pair) -> None:
    p, q = pair

    def half_square(lam: float) -> float:
        return 0.5 * float(np.minimum(p, q / lam).sum()) ** 2

    bends = np.unique(q / p)
    inner = sum(quad(half_square, a, b)[0] for a, b in pairwise(bends))
    outer = 0.5 * bends[0] + 0.5 / bends[-1]  # β = 1 before the first bend, 1/λ after the last
    assert float(law_of(pair).auc()) == pytest.approx(inner + outer, rel=1e-7)


@few
@given(law_pairs(positive=True))
def test_the_area_of_a_fine_grid_approaches_the_exact_one(pair: Pair) -> None:
    law = law_of(pair)
    fine = torch.cat([GRID, equiangular_grid(4001), law.breakpoints()])
    assert float(law.curve(fine).auc()) == pytest.approx(float(law.auc()), abs=1e-5)


def test_summaries_of_equal_and_of_disjoint_laws() -> None:
    same, apart = law_of((np.ones(4) / 4,) * 2), law_of((np.array([1.0, 0]), np.array([0, 1.0])))
    assert float(same.auc()) == pytest.approx(1.0)
    assert float(apart.auc()) == 0.0
    for s in (8.0, 1 / 8):
        assert float(same.f_max(s)) == pytest.approx(1.0)
        assert float(apart.f_max(s)) == 0.0


@few
@given(law_pairs(), st.sampled_from([8.0, 1.0, 1 / 8]))
def test_the_exact_f_score_is_the_supremum_over_the_curve(pair: Pair, s: float) -> None:
    law = law_of(pair)
    exact = float(law.f_max(s))
    assert float(law.curve(equiangular_grid(501)).f_max(s)) <= exact + 1e-12
    bends = law.breakpoints()
    bends = bends[(bends > 0) & bends.isfinite()]
    if bends.numel():
        assert float(law.curve(bends).f_max(s)) == pytest.approx(exact, abs=1e-12)
    else:
        assert exact == 0.0


def test_f8_is_recall_and_one_eighth_is_precision() -> None:
    covering = law_of((np.array([1.0, 0.0]), np.array([0.5, 0.5])))  # full recall, half the samples are wrong
    assert float(covering.f_max(8)) > 0.95
    assert float(covering.f_max(1 / 8)) < 0.55
    assert float(f_score(1.0, 0.0, 8)) == 0.0
    assert float(f_score(0.0, 0.0, 8)) == 0.0


@few
@given(law_pairs(), st.floats(1, 20))
def test_stretching_keeps_the_ray_and_caps_precision(pair: Pair, budget: float) -> None:
    curve = curve_discrete(*pair, FINITE)
    refined = curve.stretched(budget)
    np.testing.assert_allclose(refined.precision, np.minimum(1, budget * curve.precision))
    np.testing.assert_allclose(refined.precision, refined.lam * refined.recall, rtol=1e-9, atol=1e-12)


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


def test_a_pack_of_laws_is_read_at_once() -> None:
    rng = np.random.default_rng(0)
    p, q = torch.tensor(rng.dirichlet(np.ones(7), 3)), torch.tensor(rng.dirichlet(np.ones(7), 3))
    together = RatioLaw.from_masses(p, q)
    curve = together.curve(GRID)
    assert curve.precision.shape == (3, GRID.numel())
    for i in range(3):
        np.testing.assert_allclose(curve.precision[i], curve_discrete(p[i], q[i], GRID).precision)
        assert float(together.auc()[i]) == pytest.approx(float(RatioLaw.from_masses(p[i], q[i]).auc()))


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
    with pytest.raises(ValueError, match="n ≥ 1"):
        equiangular_grid(0)
    with pytest.raises(ValueError, match=r"budget K must be ≥ 1, got 0\.5"):
        PRCurve(np.ones(1), np.ones(1), np.ones(1)).stretched(0.5)
