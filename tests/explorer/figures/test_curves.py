"""Curves of a trial: what the writer stored is read and drawn, anything else is left out."""

from __future__ import annotations

import json
import math

import pytest

from explorer.figures import history_figure, pr_curve_figure, read_curve
from explorer.figures.thinning import MOST_DRAWN
from explorer.results.store import ResultStore
from explorer.results.table import TrialTable
from explorer.store.schema import CURVE_FILE
from tests.app.made_sweep import SCRIPT, made_trials


@pytest.fixture(scope="module")
def curves(store_uri: str, table: TrialTable) -> list[dict]:
    store = ResultStore(store_uri)
    return [store.artifact_json(trial.run_id, CURVE_FILE) for trial in table.trials[:2]]


def test_curve_is_read_and_drawn(curves: list[dict], table: TrialTable) -> None:
    points = read_curve(curves[0])
    made = next(m for m in made_trials() if m.id == table.trials[0].id).final.curve
    assert points == list(zip(made["recall"], made["precision"], made["lambda"], strict=True))
    figure = pr_curve_figure({SCRIPT: curves[0], "b": curves[1], "broken": {"recall": 3}})
    assert len(figure.data) == 2
    assert tuple(figure.data[0].x) == tuple(p[0] for p in points)
    assert "<script" not in figure.data[0].name


def test_a_single_curve_says_where_it_is_from_and_needs_no_legend(curves: list[dict]) -> None:
    figure = pr_curve_figure({"one": curves[0]})
    assert figure.layout.title.subtitle.text == "from the exact densities"
    assert figure.data[0].showlegend is False
    mixed = pr_curve_figure({"one": curves[0], "two": {**curves[1], "source": "histogram"}})
    assert mixed.layout.title.subtitle.text == ""
    assert [t.showlegend for t in mixed.data] == [True, True]


def test_the_error_of_a_curve_is_a_band_around_it_and_a_number() -> None:
    raw = {
        "lambda": [0.01, 0.5, 1.0, 2.0],
        "precision": [0.01, 0.4, 0.6, 0.9],
        "recall": [1.0, 0.8, 0.6, 0.45],
        "error": [0.9, 0.02, 0.04, 0.2],
        "source": "neighbours",
    }
    figure = pr_curve_figure({"one": raw})
    assert figure.layout.title.subtitle.text == ("estimated from nearest samples, ± 0.20")
    band, line = figure.data
    assert tuple(line.y) == tuple(raw["precision"])
    assert (band.x[2], band.y[2]) == (pytest.approx(0.64), pytest.approx(0.64))
    assert (band.x[-3], band.y[-3]) == (pytest.approx(0.56), pytest.approx(0.56))
    assert max(band.y) <= 1
    assert max(band.x) <= 1
    for spoilt in ([1.0], "wide", [None] * 4):
        assert len(pr_curve_figure({"one": {**raw, "error": spoilt}}).data) == 1
    assert len(pr_curve_figure({"one": raw, "two": raw}).data) == 2


@pytest.mark.parametrize(
    "raw",
    [
        None,
        {},
        [],
        {"recall": [1], "precision": [None], "lambda": ["x"]},
        {"recall": [1.0], "precision": [math.nan], "lambda": [True]},
        {"recall": 1, "precision": 1, "lambda": 1},
    ],
)
def test_other_artifacts_are_no_curve(raw) -> None:
    assert read_curve(raw) == []


def test_history_puts_unbounded_metrics_on_the_right(table: TrialTable) -> None:
    rows = {"precision": [(1, 0.5), (2, 0.6)], "fid": [(1, 9.0), (2, math.nan), (3, 4.0)]}
    figure = history_figure(rows, table.title)
    assert [t.yaxis for t in figure.data] == ["y", "y2"]
    assert [t.name for t in figure.data] == ["Precision", "FID →"]
    assert list(figure.data[1].x) == [1, 3]
    assert figure.layout.yaxis2.side == "right"


def test_a_metric_alone_keeps_the_left_axis() -> None:
    figure = history_figure({"fid": [(1, 9.0), (2, 4.0)]})
    assert [t.yaxis for t in figure.data] == ["y"]
    assert figure.data[0].name == "fid"
    assert "yaxis2" not in figure.layout.to_plotly_json()


def test_names_in_a_history_are_text_and_nothing_is_drawn_of_nothing() -> None:
    figure = history_figure({"a": [(1, 0.5)], "b": [(1, math.nan)]}, lambda name: SCRIPT)
    assert len(figure.data) == 1
    assert "<script" not in json.dumps(figure.to_plotly_json(), default=str)


def test_long_lines_are_drawn_with_some_of_their_points() -> None:
    steps = range(200_000)
    (line,) = history_figure({"a": [(step, step / 200_000) for step in steps]}).data
    assert (len(line.x), line.x[0], line.x[-1]) == (MOST_DRAWN, 0, 199_999)
    column = [i / 10_000 for i in range(10_000)]
    raw = {"recall": column, "precision": column, "lambda": column}
    assert len(read_curve(raw)) == 10_000
    (line,) = pr_curve_figure({"a": raw}).data
    assert (len(line.x), line.x[0], line.x[-1]) == (MOST_DRAWN, 0.0, 0.9999)
