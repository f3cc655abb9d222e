"""Scales are the sweep's: neither a budget nor a filter moves them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from explorer.figures.scales import (
    axis_of,
    is_wide,
    mean_span_of,
    possible,
    scale_of,
    sizes_of,
    span_of,
    usual_axes,
)
from explorer.goals import parse_goals
from explorer.results.columns import Columns
from explorer.store.schema import PLAIN
from tests.explorer.figures.clouds import TWO, cloud_table


def test_a_span_covers_every_reading() -> None:
    table = cloud_table()
    low, high = span_of(Columns(table), "precision")
    values = [reading["precision"] for trial in table for reading in trial.readings.values()]
    assert (low, high) == (min(values), max(values))
    assert high == max(trial.readings[TWO]["precision"] for trial in table)


def test_what_is_far_apart_and_not_to_be_large_is_logarithmic() -> None:
    columns = Columns(cloud_table())
    assert is_wide(columns, "fid")
    assert is_wide(columns, "objective.lam")
    assert not is_wide(columns, "precision")
    axis = axis_of(columns, "fid")
    assert axis.log
    assert 0 < axis.low < span_of(columns, "fid")[0]
    assert axis.direction == "min"


def test_axes_leave_room_and_explain_themselves() -> None:
    columns = Columns(cloud_table())
    axis, (low, high) = axis_of(columns, "recall"), span_of(columns, "recall")
    assert axis.low < low
    assert axis.high > high
    assert axis.title == "Recall"
    assert axis.hint.endswith(".")


def test_dark_is_better() -> None:
    columns = Columns(cloud_table())
    assert scale_of(columns, "precision").stops == scale_of(columns, "fid").stops[::-1]
    assert (sizes_of(columns, "fid").low, sizes_of(columns, "fid").high) == span_of(columns, "fid")


def test_a_column_without_values_has_a_scale_all_the_same() -> None:
    columns = Columns(cloud_table())
    assert span_of(columns, "nobody") == (0.0, 1.0)
    assert axis_of(columns, "nobody").low < axis_of(columns, "nobody").high


def test_usual_axes_are_recall_precision_and_the_third_goal_or_the_sweeps_own() -> None:
    table = cloud_table()
    assert usual_axes(Columns(table)) == ("recall", "precision", "fid")
    bare = [replace(t, readings={at: {"fid": m["fid"]} for at, m in t.readings.items()}) for t in table]
    other = replace(table, trials=tuple(bare), goals=parse_goals({"fid": "min"}))
    assert usual_axes(Columns(other))[:2] == ("fid", "objective.lam")


def test_colours_of_means_span_the_means_at_every_reading() -> None:
    columns = Columns(cloud_table(spread=0.1))
    means = [
        np.mean([t.readings[at]["precision"] for t in columns.trials if t.id.startswith(f"t{c}")])
        for at in (PLAIN, TWO)
        for c in range(6)
    ]
    scale = scale_of(columns, "precision", means=True)
    assert (scale.low, scale.high) == pytest.approx((min(means), max(means)))
    alone = scale_of(columns, "precision")
    assert alone.low < scale.low < scale.high < alone.high
    assert mean_span_of(columns, "objective.lam") == span_of(columns, "objective.lam")


def test_intervals_are_cut_at_the_bounds_of_the_metric() -> None:
    columns = Columns(cloud_table())
    ends = np.array([-0.5, 0.5, 1.5, np.nan])
    np.testing.assert_array_equal(possible(columns, "recall", ends), [0, 0.5, 1, np.nan])
    np.testing.assert_array_equal(possible(columns, "objective.lam", ends), ends)
