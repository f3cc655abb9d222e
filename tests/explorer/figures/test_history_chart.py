"""Metrics over training as charts: shares and others apart, trials over each other."""

from __future__ import annotations

import math

import numpy as np

from explorer.figures.chart import Line
from explorer.figures.history_chart import histories_chart, history_chart
from explorer.figures.thinning import MOST_DRAWN

SHARE = [(100, 0.2), (200, 0.6), (300, 0.7)]
FID = [(100, 30.0), (200, 12.0), (300, 9.0)]


def lines(layers: object) -> list[Line]:
    return [layer for layer in layers if isinstance(layer, Line)]  # type: ignore[attr-defined]


def test_what_leaves_the_unit_interval_has_a_panel_of_its_own() -> None:
    chart = history_chart({"precision": SHARE, "recall": SHARE, "fid": FID}, str.upper)
    assert chart is not None
    shares, others = chart.panels
    assert [line.name for line in lines(shares.layers)] == ["PRECISION", "RECALL"]
    assert [line.name for line in lines(others.layers)] == ["FID"]
    assert shares.y is not None
    assert (shares.y.low, shares.y.high) == (0.0, 1.02)
    assert others.y is not None
    assert others.y.low == 0
    assert others.y.high > 30
    assert len({line.colour for panel in chart.panels for line in lines(panel.layers)}) == 3
    assert (chart.x.low, chart.x.high >= 300) == (0.0, True)


def test_one_kind_is_one_chart() -> None:
    chart = history_chart({"fid": FID})
    assert chart is not None
    assert not chart.panels
    (line,) = lines(chart.layers)
    assert line.x.tolist() == [100, 200, 300]


def test_values_below_zero_are_inside() -> None:
    chart = history_chart({"loss": [(0, -4.0), (1, -1.0)]})
    assert chart is not None
    assert chart.y.low < -4
    assert chart.y.high > -1
    still = history_chart({"loss": [(0, -1e90), (1, -1e90)]})
    assert still is not None
    assert still.y.low < still.y.high


def test_a_history_of_one_evaluation_is_none() -> None:
    assert history_chart({"fid": FID[:1], "precision": [], "x": [(1, math.nan), (2, math.inf)]}) is None
    assert histories_chart({"a": {"fid": FID[:1]}}, ["fid"]) is None
    assert histories_chart({}, ["fid"]) is None


def test_what_is_not_finite_is_left_out_and_long_histories_are_thinned() -> None:
    chart = history_chart({"p": [(1, 0.1), (2, math.nan), (3, 0.2)]})
    assert chart is not None
    assert lines(chart.layers)[0].x.tolist() == [1, 3]
    long = history_chart({"p": [(i, 0.5) for i in range(10 * MOST_DRAWN)]})
    assert long is not None
    (line,) = lines(long.layers)
    assert len(line.x) == MOST_DRAWN
    assert (line.x[0], line.x[-1]) == (0, 10 * MOST_DRAWN - 1)


def test_trials_share_a_panel_per_metric_and_are_named_once() -> None:
    histories = {"a": {"precision": SHARE, "fid": FID}, "b": {"fid": FID}, "c": {"precision": SHARE}}
    chart = histories_chart(histories, ["precision", "fid", "unknown"])
    assert chart is not None
    assert [panel.title for panel in chart.panels] == ["precision", "fid"]
    named = [line.name for panel in chart.panels for line in lines(panel.layers) if line.name]
    assert sorted(named) == ["a", "b", "c"]
    first, second = (lines(panel.layers) for panel in chart.panels)
    assert first[0].colour == second[0].colour, "a trial keeps its colour"
    assert not np.array_equal(first[0].y, second[0].y)
