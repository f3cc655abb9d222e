"""Curves, rays and tangents of the levels of λ: points lie on their rays, and are filled where they are outermost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from explorer.figures.chart import Line, Points
from explorer.figures.tangent_chart import tangent_chart
from explorer.results.audit import audit_lambda
from explorer.results.columns import Columns
from explorer.store.schema import PLAIN, TRADE_OFFS
from tests.explorer.results.lambda_sweeps import LAMBDAS, continuous, grid
from tests.explorer.results.peaked import peaked


def drawn(columns: Columns):
    chart = tangent_chart(columns, audit_lambda(columns).groups[0])
    assert chart is not None
    return chart


def test_every_level_has_a_curve_a_ray_and_a_tangent_at_their_meeting() -> None:
    columns = grid(settings=1)
    chart = drawn(columns)
    rays = [layer for layer in chart.layers if isinstance(layer, Line) and layer.dash == "dot"]
    curves = [layer for layer in chart.layers if isinstance(layer, Line) and layer.name.startswith("λ")]
    tangents = [
        layer for layer in chart.layers if isinstance(layer, Line) and layer.name.startswith("tangent")
    ]
    (marks,) = (layer for layer in chart.layers if isinstance(layer, Points))
    assert [layer.name for layer in curves] == [f"λ {word}" for word in ("0.1", "0.3", "1", "3", "10")]
    for lam, ray, curve, tangent, x, y in zip(LAMBDAS, rays, curves, tangents, marks.x, marks.y, strict=True):
        np.testing.assert_allclose(ray.y, lam * ray.x)
        assert max(ray.x[1], ray.y[1]) == pytest.approx(1)
        assert y == pytest.approx(lam * x)
        assert (tangent.x.mean(), tangent.y.mean()) == (pytest.approx(x), pytest.approx(y))
        mean = np.mean([peaked(lam, seed) for seed in range(3)], axis=0)
        np.testing.assert_allclose(curve.y, mean)
        np.testing.assert_allclose(curve.x, np.minimum(mean / np.array(TRADE_OFFS), 1))
    assert marks.hollow is not None
    assert not marks.hollow.any()
    assert "5 of 5" in chart.title


def test_a_level_that_another_outreaches_is_hollow_and_says_which() -> None:
    columns = grid(settings=1)
    turned = {0.1: 10.0, 10.0: 0.1}
    trials = tuple(
        replace(t, alphas=peaked(turned.get(t.params["objective.lam"], t.params["objective.lam"])))  # type: ignore[arg-type, call-overload]
        for t in columns.trials
    )
    chart = drawn(Columns(replace(columns.table, trials=trials)))
    (marks,) = (layer for layer in chart.layers if isinstance(layer, Points))
    assert marks.hollow is not None
    assert marks.hollow.tolist() == [True, False, False, False, True]
    assert "3 of 5" in chart.title
    assert chart.card is not None
    assert chart.card.rows[-1].values == ["λ 10", "", "", "", "λ 0.1"]


def test_ceilings_lie_on_the_rays() -> None:
    columns = grid(settings=1)
    trials = tuple(
        replace(
            t,
            readings={
                PLAIN: {
                    **t.metrics,
                    "generator_lipschitz": 3.0,
                    "ceiling_own": 0.95 * min(1.0, float(t.params["objective.lam"])),  # type: ignore[arg-type]
                }
            },
        )
        for t in columns.trials
    )
    chart = drawn(Columns(replace(columns.table, trials=trials)))
    (cap,) = (layer for layer in chart.layers if isinstance(layer, Points) and layer.name)
    np.testing.assert_allclose(cap.y, np.array(LAMBDAS) * cap.x)
    np.testing.assert_allclose(np.maximum(cap.x, cap.y), 0.95)


def test_neighbourhoods_of_a_continuous_lambda_are_levels() -> None:
    assert len(drawn(continuous()).keys) == 6


def test_without_curves_there_is_no_chart() -> None:
    columns = grid(settings=1)
    blind = Columns(replace(columns.table, trials=tuple(replace(t, alphas=()) for t in columns.trials)))
    assert tangent_chart(blind, audit_lambda(blind).groups[0]) is None
