"""Levels have means with intervals over seeds; a continuous λ has one smooth curve."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from explorer.results.audit import audit_lambda
from explorer.results.columns import Columns
from explorer.results.lambda_curves import lambda_curve, rows_of
from explorer.results.smooth import interval_of
from explorer.store.schema import PLAIN
from tests.explorer.results.lambda_sweeps import K2, LAMBDAS, continuous, grid


def test_levels_have_means_and_intervals_over_seeds() -> None:
    columns = grid(seeds=3)
    group = audit_lambda(columns, K2).groups[1]
    found = lambda_curve(columns, group, "recall", K2)
    assert found.x.tolist() == list(LAMBDAS)
    assert found.counts.tolist() == [3] * 5
    assert found.repeats
    assert not found.is_smooth
    assert {columns.ids[row] for row in found.rows} == set(group.ids)
    values = columns.metric("recall", K2)[rows_of(columns, group)]
    for level in range(5):
        expected = interval_of(values[3 * level : 3 * level + 3])
        assert (found.y[level], found.low[level], found.high[level]) == pytest.approx(expected)


def test_a_continuous_lambda_has_a_smooth_curve_that_rises() -> None:
    columns = continuous()
    (group,) = audit_lambda(columns).groups
    found = lambda_curve(columns, group, "precision", PLAIN)
    assert found.is_smooth
    assert not found.repeats
    assert len(found.x) < len(found.rows) + 10
    assert found.y[-1] - found.y[0] > 0.3
    np.testing.assert_allclose(found.y, 0.7 + 0.2 * np.tanh(np.log(found.x)), atol=0.03)
    assert np.nanmin(found.high - found.low) > 0


def test_what_has_no_place_is_left_out() -> None:
    columns = grid(settings=1, lambdas=(0.0, 0.5, 1.0, 2.0))
    (group,) = audit_lambda(columns).groups
    assert lambda_curve(columns, group, "precision", PLAIN).x.tolist() == [0.5, 1.0, 2.0]
    empty = lambda_curve(columns, group, "fid", PLAIN)
    assert (len(empty.rows), len(empty.x), empty.repeats) == (0, 0, False)
    blind = Columns(replace(columns.table, trials=tuple(replace(t, readings={}) for t in columns.trials)))
    assert len(lambda_curve(blind, group, "precision", PLAIN).x) == 0
