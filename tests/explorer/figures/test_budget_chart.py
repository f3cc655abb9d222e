"""Charts of the budget, from real tables."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.figures.budget_chart import MOST_CURVES, budget_chart, drawn_of, methods_chart, metric_chart
from explorer.figures.chart import Line, Paths, Points
from explorer.results.columns import Columns
from explorer.store.schema import PLAIN, TRADE_OFFS, At

K2 = At("obrs", 2.0)
ALPHAS = tuple(float(min(0.9, lam)) for lam in TRADE_OFFS)


def with_curves(table):
    """The same trials with a PR curve each."""
    return Columns(replace(table, trials=tuple(replace(t, alphas=ALPHAS) for t in table)))


def every(columns):
    return np.ones(len(columns), dtype=bool)


def layers(chart, kind):
    return [layer for layer in chart.layers if isinstance(layer, kind)]


@pytest.fixture
def columns(table):
    return with_curves(table)


def test_points_lie_at_the_budget_shown_and_paths_at_all(columns):
    drawn = drawn_of(columns, every(columns), "obrs", K2)
    chart = budget_chart(drawn, "recall", "precision")
    places = {}
    for points in layers(chart, Points):
        places |= dict(zip((chart.keys[k] for k in points.key), points.y.tolist(), strict=True))
    for identity, precision in places.items():
        same = [t for t in columns.trials if t.point() == columns.trials[columns.row_of[identity]].point()]
        assert precision == pytest.approx(np.mean([t.at(K2)["precision"] for t in same]))
    assert len(places) == len(drawn.curves)
    (paths,) = layers(chart, Paths)
    assert paths.x.shape == (len(drawn.curves), len(columns.budgets("obrs")))


def test_the_frame_does_not_move_with_the_budget(columns):
    charts = [
        budget_chart(drawn_of(columns, every(columns), "obrs", at), "recall", "precision")
        for at in (PLAIN, K2)
    ]
    assert charts[0].x.low == charts[1].x.low
    assert charts[0].y.high == charts[1].y.high


def test_predicted_curves_are_dashed_and_begin_at_what_was_measured(columns):
    drawn = drawn_of(columns, every(columns), "obrs", K2)
    chart = budget_chart(drawn, "recall", "precision")
    dashed = [line for line in layers(chart, Line) if line.dash == "dash"]
    assert len(dashed) == drawn.front.sum() > 0
    assert [line.name != "" for line in dashed] == [True] + [False] * (len(dashed) - 1)
    measured = drawn.curves.at("precision", PLAIN)[drawn.predicted]
    for line, precision in zip(dashed, measured, strict=True):
        if precision < 0.89:  # beyond, the curve never gets there
            assert line.y[0] == pytest.approx(precision, abs=1e-3)
        assert (np.diff(line.y) >= -1e-9).all()


def test_without_curves_nothing_is_predicted(table):
    columns = Columns(replace(table, trials=tuple(replace(t, alphas=()) for t in table)))
    chart = budget_chart(drawn_of(columns, every(columns), "obrs", K2), "recall", "precision")
    assert not [line for line in layers(chart, Line) if line.dash == "dash"]


def test_the_selected_configuration_is_ringed_and_its_prediction_drawn(columns):
    identity = columns.ids[-1]
    drawn = drawn_of(columns, every(columns), "obrs", K2, identity)
    chart = budget_chart(drawn, "recall", "precision")
    (key,) = chart.selected
    rows = columns.row_of
    assert columns.configurations[rows[key]] == columns.configurations[rows[identity]]
    assert list(drawn.predicted) == [drawn.selected]


def test_of_many_configurations_only_the_fronts_have_curves(columns):
    trials = [
        replace(trial, id=f"{i:x}", params={**trial.params, "objective.lam": float(i)})
        for i in range(200)
        for trial in [columns.trials[i % len(columns)]]
    ]
    many = Columns(replace(columns.table, trials=tuple(trials)))
    drawn = drawn_of(many, every(many), "obrs", K2, many.ids[7])
    assert len(drawn.curves) == 200
    assert len(drawn.chosen) <= MOST_CURVES
    assert drawn.selected in drawn.chosen
    chart = budget_chart(drawn, "recall", "precision")
    faint = [points for points in layers(chart, Points) if points.opacity < 1]
    assert len(faint[0].x) == 200 - len(drawn.chosen)
    assert "curves of" in chart.subtitle


def test_a_metric_against_the_budget(columns):
    drawn = drawn_of(columns, every(columns), "obrs", K2)
    chart = metric_chart(drawn, "fid")
    assert chart.x.log
    assert tuple(chart.x.ticks) == columns.budgets("obrs")
    (shown, *lines) = layers(chart, Line)
    assert set(shown.x) == {2.0}
    assert len(lines) == len(drawn.chosen)  # none of them predicted: fid follows from no curve
    assert len(layers(metric_chart(drawn, "recall"), Line)) > len(lines)


def test_a_metric_against_k_spans_its_means_and_what_is_predicted(columns):
    drawn = drawn_of(columns, every(columns), "obrs", K2)
    means = drawn.curves.values("fid")
    axis = metric_chart(drawn, "fid").y
    assert axis.low < means.min() <= means.max() < axis.high
    reach = (means.max() / means.min()) ** 1.11 if axis.log else 1.11 * np.ptp(means)
    assert (axis.high / axis.low if axis.log else axis.high - axis.low) < reach
    recall = metric_chart(drawn, "recall")
    for line in layers(recall, Line):
        assert recall.y.low <= line.y.min() <= line.y.max() <= recall.y.high


def test_a_panel_per_refinement_in_one_frame(two_methods):
    columns = Columns(two_methods)
    chart = methods_chart(columns, every(columns), "recall", "precision")
    assert [panel.title for panel in chart.panels] == ["obrs", "other"]
    names = [[layer.name for layer in panel.layers if isinstance(layer, Line)] for panel in chart.panels]
    assert names[1] == ["K = 2", "K = 3"]
    assert len(names[0]) == len(columns.budgets("obrs")) - 1
    assert [layer.name for layer in chart.layers] == ["K = 1"]


def test_a_sweep_of_which_nothing_is_kept_has_an_empty_chart(columns):
    nobody = np.zeros(len(columns), dtype=bool)
    drawn = drawn_of(columns, nobody, "obrs", K2)
    assert budget_chart(drawn, "recall", "precision").keys == ()
    assert metric_chart(drawn, "fid").keys == ()
    assert len(methods_chart(columns, nobody, "recall", "precision").panels) == 1
