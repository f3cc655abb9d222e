"""Curves as plain values: finite, thinned, named as the numbers that sum them up."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from explorer.measure.curves import frontier_points, inner, plain_curves
from explorer.measure.report import Measurement
from trainables.precision_recall import Frontier, PRCurve, equiangular_grid

LAM = np.concatenate([[0.0], equiangular_grid(301).numpy(), [np.inf]])
ALPHA = np.minimum(1.0, LAM) / 2
CURVE = PRCurve(LAM, ALPHA, np.minimum(1.0, 1 / np.maximum(LAM, 1e-300)) / 2)
FRONTIER = Frontier(
    1.0, "inclusive", np.array([0.5, 2.0]), np.array([math.log(4), 0.0]), np.array([0.0, math.log(2)])
)


def test_ends_without_a_finite_trade_off_are_left_out_and_the_rest_is_thinned() -> None:
    kept = inner(CURVE)
    assert len(kept.lam) == 99
    assert (kept.lam[0], kept.lam[-1]) == (LAM[1], LAM[-2])
    assert (np.diff(kept.lam) > 0).all()
    np.testing.assert_allclose(kept.precision, kept.lam * kept.recall)
    assert inner(kept, 500).lam.tolist() == kept.lam.tolist()


def test_an_inclusive_frontier_loses_recall_from_the_model_to_r() -> None:
    assert frontier_points(FRONTIER) == {
        "tilt": [0.5, 2.0],
        "precision": pytest.approx([1.0, 0.5]),
        "recall": pytest.approx([0.25, 1.0]),
    }


def test_curves_are_json_by_name() -> None:
    found = Measurement(curves={"prd": CURVE}, frontiers={"frontier.inclusive": FRONTIER})
    plain = plain_curves(found)
    assert {name: set(curve) for name, curve in plain.items()} == {
        "prd": {"lambda", "precision", "recall"},
        "frontier.inclusive": {"tilt", "precision", "recall"},
    }
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain_curves(Measurement()) == {}
