"""Rényi divergences of Gaussians: zero at home, rising in the order, infinite where the caption says."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.reproduce.djolonga_renyi import HIGHEST, ORDERS
from tests.explorer.reproduce.built import built


def _drawn():
    lines = [trace for trace in built("djolonga-2")[0].figure.data if (trace.name or "").startswith("α")]
    assert len(lines) == 2 * len(ORDERS)
    return lines[: len(ORDERS)], lines[len(ORDERS) :]


def test_divergences_vanish_at_home_and_rise_with_the_order() -> None:
    at = np.array([0.95, 1.0, 1.08])
    for side in _drawn():
        values = np.array([np.interp(at, trace.x, trace.y) for trace in side])
        np.testing.assert_allclose(values[:, 1], 0, atol=1e-3)
        assert (np.diff(values[:, [0, 2]], axis=0) > 0).all()


def test_the_law_that_leaves_the_other_is_punished_beyond_all_bounds() -> None:
    left, right = _drawn()
    for order, first, second in zip(ORDERS, left, right, strict=True):
        if order > 1:
            assert min(first.x) == pytest.approx(np.sqrt((order - 1) / order), abs=1e-3)
            assert max(second.x) == pytest.approx(np.sqrt(order / (order - 1)), abs=1e-3)
            assert max(first.y) > HIGHEST
            assert max(second.y) > HIGHEST
        else:
            assert max(second.x) == 3.0 or max(second.y) > HIGHEST


def test_order_one_is_the_kullback_leibler_divergence() -> None:
    first = _drawn()[0][ORDERS.index(1.0)]
    sigma = np.asarray(first.x)
    np.testing.assert_allclose(first.y, np.log(sigma) + 1 / (2 * sigma**2) - 0.5, atol=2e-3)
