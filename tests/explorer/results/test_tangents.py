"""Where a curve meets a ray, and its tangent there: closed forms of two Gaussians and of laws on a few points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from explorer.results.tangents import touch
from explorer.store.schema import TRADE_OFFS

GRID = np.array(TRADE_OFFS)


def gaussians(shift: float) -> np.ndarray:
    """α_λ of P = N(0, 1) and Q = N(shift, 1): λp > q where x < shift/2 + log λ / shift."""
    edge = shift / 2 + np.log(GRID) / shift
    found: np.ndarray = GRID * norm.sf(edge) + norm.cdf(edge - shift)
    return found


@pytest.mark.parametrize("lam", [0.2, 1.0, 3.7])
def test_of_two_gaussians_it_is_the_closed_form(lam: float) -> None:
    shift = 1.5
    edge = shift / 2 + np.log(lam) / shift
    missed, kept = norm.sf(edge), norm.cdf(edge - shift)  # P(Aᶜ), Q(A)
    found = touch([gaussians(shift)], [lam])
    assert found.precision[0] == pytest.approx(lam * missed + kept, rel=2e-3)
    assert found.recall[0] == pytest.approx(found.precision[0] / lam)
    assert found.share[0] == pytest.approx(lam * missed / (lam * missed + kept), rel=0.02)
    assert found.slope[0] == pytest.approx(-(lam**2) * missed / kept, rel=0.04)


weights = st.lists(st.floats(0.01, 1), min_size=3, max_size=8)


@given(weights, weights, st.floats(0.05, 20))
def test_a_tangent_falls_and_passes_through_its_point(p: list[float], q: list[float], lam: float) -> None:
    n = min(len(p), len(q))
    real, fake = np.array(p[:n]) / sum(p[:n]), np.array(q[:n]) / sum(q[:n])
    found = touch([np.minimum(GRID[:, None] * real, fake).sum(axis=1)], [lam])
    beta, alpha = found.segments(0.1)
    assert np.hypot(np.diff(beta), np.diff(alpha))[0] == pytest.approx(0.2)
    assert beta.mean() == pytest.approx(found.recall[0])
    assert alpha.mean() == pytest.approx(found.precision[0])
    assert np.diff(beta)[0, 0] * np.diff(alpha)[0, 0] <= 0
    assert 0 <= found.share[0] <= 1


def test_a_perfect_model_has_level_and_upright_tangents() -> None:
    found = touch([np.minimum(1, GRID)] * 2, [100.0, 0.01])
    assert found.share.tolist() == [pytest.approx(0), pytest.approx(1, abs=0.02)]
    beta, alpha = found.segments(0.1)
    assert alpha[0].tolist() == pytest.approx([1.0, 1.0])
    assert beta[1].tolist() == pytest.approx([1.0, 1.0], abs=0.01)


def test_no_overlap_has_no_tangent() -> None:
    found = touch([np.zeros(len(GRID))], [1.0])
    assert np.isnan(found.share).all()
    assert np.isnan(found.segments(0.1)).all()
    assert len(touch(np.empty((0, len(GRID))), []).share) == 0
