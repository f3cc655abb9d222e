"""The thick segments are Bregman divergences and conjugates, and nothing rises above the supremum."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.reproduce.thesis_bregman import POINTS, TRADE_OFFS
from tests.explorer.reproduce.built import built

X, Y = POINTS


def _named(name, title):
    return [t for t in built(name)[0].figure.data if t.name == title]


def test_gaps_are_bregman_divergences():
    kl, chi2 = (t.y[1] - t.y[0] for t in _named("thesis-5.5", "Breg(x, y)"))
    assert kl == pytest.approx(X * np.log(X / Y) - X + Y, abs=1e-5)
    assert chi2 == pytest.approx((X - Y) ** 2, abs=1e-5)
    assert f"{kl:.2f} for KL, {chi2:.2f} for χ²" in built("thesis-5.5")[0].caption


def test_the_function_lies_above_its_tangent_and_touches_it_at_y():
    graphs, tangents = _named("thesis-5.5", "g"), _named("thesis-5.5", "tangent at y")
    for graph, tangent in zip(graphs, tangents, strict=True):
        above = np.asarray(graph.y) - np.asarray(tangent.y)
        assert above.min() >= -2e-6
        assert np.asarray(graph.x)[above.argmin()] == pytest.approx(Y, abs=0.02)


def test_the_supremum_is_at_the_kink():
    below, thick = _named("thesis-b.1.1", "tu - f_λ(u)"), _named("thesis-b.1.1", "f_λ*(t)")
    for lam, curve, segment in zip(TRADE_OFFS, below, thick, strict=True):
        t = 0.6 * lam
        conjugate = t / lam + max(lam, 1) - 1
        assert segment.x[0] == pytest.approx(1 / lam)
        assert segment.y[1] - segment.y[0] == pytest.approx(conjugate, abs=1e-5)
        assert max(curve.y) == pytest.approx(conjugate, abs=1e-5)
        assert curve.x[int(np.argmax(curve.y))] == pytest.approx(1 / lam, abs=0.02)
        printed = t * lam + max(lam, 1) - 1  # the middle of (B.8)
        assert abs(max(curve.y) - printed) > 0.1
