"""Curve ↔ PR-divergence, the probabilistic form, and the limit of the precision-recall cover."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainables.precision_recall.laws import Pair, law_pairs, normal
from trainables.divergences import pr_divergence
from trainables.precision_recall import (
    best_set,
    cover_on_the_line,
    curve_discrete,
    curve_from_pr_divergence,
    curve_quadrature,
    equiangular_grid,
    set_gap,
)

few = settings(max_examples=40)

GRID = equiangular_grid(21)


@few
@given(law_pairs())
def test_curve_and_divergence_are_two_readings_of_one_thing(pair: Pair) -> None:
    p, q = torch.tensor(pair[0]), torch.tensor(pair[1])
    curve = curve_discrete(p, q, GRID)
    direct = torch.stack([pr_divergence(p, q, float(lam)) for lam in GRID])
    np.testing.assert_allclose(curve.pr_divergence(), direct.numpy(), atol=1e-12)
    back = curve_from_pr_divergence(GRID, direct)
    np.testing.assert_allclose(back.precision, curve.precision, atol=1e-12)
    np.testing.assert_allclose(back.recall, curve.recall, atol=1e-10)


@few
@given(law_pairs(), st.floats(1e-2, 1e2), st.integers(0, 2**12 - 1))
def test_no_set_beats_the_best_set(pair: Pair, lam: float, bits: int) -> None:
    p, q = torch.tensor(pair[0]), torch.tensor(pair[1])
    best = set_gap(p, q, best_set(p, q, lam), lam)
    assert float(best - abs(lam - 1)) == pytest.approx(float(pr_divergence(p, q, lam)), abs=1e-10)
    other = torch.tensor([bool(bits >> i & 1) for i in range(len(p))])
    assert float(set_gap(p, q, other, lam)) <= float(best) + 1e-12


@pytest.mark.parametrize("lam", [0.4, 1.0, 2.5])
def test_precision_recall_covers_tend_to_the_curve(lam: float) -> None:
    """α_λ = lim PC_{b/λ,b} + λ RC_{bλ,b}; the printed (4.32) puts λ on the other term."""
    p, q, b = normal(0.0, 1.0), normal(0.7, 1.4), 1e-4
    alpha = curve_quadrature(p.log_prob, q.log_prob, (-15, 15), [lam]).precision[0]
    quantiles = (torch.arange(4000, dtype=torch.float64) + 0.5) / 4000
    precision = cover_on_the_line(p.cdf, q.cdf, q.icdf(quantiles), b, b / lam)
    recall = cover_on_the_line(q.cdf, p.cdf, p.icdf(quantiles), b, b * lam)
    assert float(precision + lam * recall) == pytest.approx(alpha, abs=3e-3)
    if lam != 1.0:
        assert abs(float(lam * precision + recall) - alpha) > 0.1, "as printed"


def test_divergences_at_the_ends_are_refused() -> None:
    with pytest.raises(ValueError, match="λ must rise within"):
        curve_from_pr_divergence([0.0, 1.0], [0.0, 0.0])
