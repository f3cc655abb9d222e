"""The law of the ratio gives the whole curve: its shape, its exact area, its best F-scores, packs."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from tests.trainables.precision_recall.laws import Pair, law_of, law_pairs
from trainables.precision_recall import RatioLaw, curve_discrete, equiangular_grid

few = settings(max_examples=40)
GRID = torch.cat([torch.zeros(1, dtype=torch.float64), equiangular_grid(101), torch.tensor([torch.inf])])


FINITE = GRID[1:-1]


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


def test_a_pack_of_laws_is_read_at_once() -> None:
    rng = np.random.default_rng(0)
    p, q = torch.tensor(rng.dirichlet(np.ones(7), 3)), torch.tensor(rng.dirichlet(np.ones(7), 3))
    together = RatioLaw.from_masses(p, q)
    curve = together.curve(GRID)
    assert curve.precision.shape == (3, GRID.numel())
    for i in range(3):
        np.testing.assert_allclose(curve.precision[i], curve_discrete(p[i], q[i], GRID).precision)
        assert float(together.auc()[i]) == pytest.approx(float(RatioLaw.from_masses(p[i], q[i]).auc()))


def test_atoms_of_neither_law_change_nothing() -> None:
    p, q = torch.tensor([0.6, 0.4, 0.0]).double(), torch.tensor([0.3, 0.7, 0.0]).double()
    padded = RatioLaw.from_log_ratio(p.log() - q.log(), q)  # 0/0 on the last atom
    bare = RatioLaw.from_masses(p[:2], q[:2])
    torch.testing.assert_close(padded.auc(), bare.auc())
    torch.testing.assert_close(padded.alpha(GRID), bare.alpha(GRID))


@few
@given(law_pairs(positive=True))
def test_the_curve_bends_at_its_breakpoints_and_nowhere_else(pair: Pair) -> None:
    law = law_of(pair)
    bends = law.breakpoints()
    np.testing.assert_allclose(bends.numpy(), np.sort(pair[1] / pair[0]), rtol=1e-12)
    for left, right in pairwise(bends.tolist()):
        inner = torch.linspace(left, right, 5, dtype=torch.float64)
        assert float(law.alpha(inner).diff().diff().abs().max()) <= 1e-9 * (1 + right)


def test_bad_trade_offs_and_weights_are_refused() -> None:
    law = law_of((np.array([0.5, 0.5]), np.array([0.2, 0.8])))
    for bad in ([[1.0]], [-1.0], [math.nan]):
        with pytest.raises(ValueError, match="trade-offs λ must be a list of numbers"):
            law.alpha(torch.tensor(bad))
    with pytest.raises(ValueError, match="weight s of F_s must be > 0, got -1"):
        law.f_max(-1.0)
