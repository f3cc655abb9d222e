"""Intersections and unions between two laws: the limit is the PR curve, and finite orders are smooth."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.reproduce.thesis_frontiers import ORDERS
from explorer.reproduce.thesis_parts import X, density_of, full_curve
from tests.explorer.reproduce.built import built, traces
from trainables.studies.gaussian_fit import TARGET
from trainables.studies.line_models import DIVERSE

LIMIT = "α → ∞"


def _line(panel: int, name: str) -> tuple[np.ndarray, np.ndarray]:
    trace = traces("thesis-3.13", panel)[name]
    return np.asarray(trace.x), np.asarray(trace.y)


def test_the_limit_of_the_intersections_is_the_pr_curve():
    alpha, beta = _line(0, f"{LIMIT}, curve")
    exact = full_curve(DIVERSE)
    np.testing.assert_allclose(np.interp(alpha, exact[0], exact[1]), beta, atol=5e-3)
    assert alpha.max() - alpha.min() > 0.5


def test_intersection_and_union_at_the_limit_are_minimum_and_maximum():
    p, q = density_of(TARGET), density_of(DIVERSE)
    for panel, pick in ((0, np.minimum), (2, np.maximum)):
        _, law = _line(panel, LIMIT)
        common = np.trapezoid(np.minimum(p, q), X)
        mass = common if pick is np.minimum else 2 - common
        np.testing.assert_allclose(law, pick(p, q) / mass, atol=2e-4)


def test_finite_orders_are_smooth_where_the_limit_has_an_edge():
    def sharpest(name):
        return np.abs(np.diff(_line(0, name)[1], 2)).max()

    assert sharpest("α = 1") < 0.4 * sharpest(LIMIT)
    assert sharpest("α = 1/2") < 0.4 * sharpest(LIMIT)


@pytest.mark.parametrize("panel", [0, 2])
def test_curves_fall_with_the_order(panel):
    """Rényi divergences rise with their order, so a larger one sees less in common at any ratio of the axes."""
    radii = []
    for name in ORDERS:
        alpha, beta = _line(panel, f"{name}, curve")
        rising = slice(None) if alpha[0] < alpha[-1] else slice(None, None, -1)
        assert (np.diff(alpha[rising]) >= -1e-4).all()
        assert (np.diff(beta[rising]) <= 1e-4).all()
        radii.append(float(alpha[np.argmin(np.abs(alpha - beta))]))
    assert radii == sorted(radii, reverse=True)
    assert radii[0] > radii[-1] + 0.2


def test_laws_between_are_densities_that_move_from_data_to_model():
    p, q = density_of(TARGET), density_of(DIVERSE)
    for axis in ("x", "x2"):
        drawn = [t for t in built("thesis-3.13")[1].figure.data if t.xaxis == axis]
        assert [t.name for t in drawn] == ["λ = 0.25", "λ = 1", "λ = 4"]
        to_real = [np.trapezoid(np.abs(np.asarray(t.y) - p), X) for t in drawn]
        to_model = [np.trapezoid(np.abs(np.asarray(t.y) - q), X) for t in drawn]
        assert to_real == sorted(to_real)
        assert to_model == sorted(to_model, reverse=True)
        for trace in drawn:
            assert np.trapezoid(trace.y, X) == pytest.approx(1.0, abs=5e-3)
