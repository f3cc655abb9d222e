"""Figures as functions of a table: what is drawn, where, and that no value is more than text."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.figures import (
    DARK,
    LIGHT,
    FrontView,
    Samples,
    colour_names,
    column,
    front_figure,
    history_figure,
    hover_text,
    lambda_figure,
    number,
    numeric_names,
    pr_curve_figure,
    read_curve,
    samples_figure,
    score,
    spread_by_lambda,
    themed,
)
from explorer.figures.front import WEBGL_FROM
from explorer.figures.staircase import best_pairs, staircase
from explorer.goals import Direction
from explorer.pareto import rank
from explorer.results.table import TrialTable
from tests.app.made_sweep import SCRIPT, made_table, made_trials

MADE = made_trials(points=40)
TABLE = made_table(MADE)

directions = st.sampled_from(["max", "min"])
planes = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=25)


def better_or_equal(a: tuple[float, float], b: tuple[float, float], x: Direction, y: Direction) -> bool:
    return (a[0] >= b[0] if x == "max" else a[0] <= b[0]) and (a[1] >= b[1] if y == "max" else a[1] <= b[1])


@given(planes, directions, directions)
def test_best_pairs_are_the_non_dominated_points(points, x, y) -> None:
    expected = {p for p in points if not any(q != p and better_or_equal(q, p, x, y) for q in points)}
    best = best_pairs(points, x, y)
    assert len(best) == len(set(best))
    assert set(best) == expected


@given(planes, directions, directions)
def test_staircase_bounds_the_reached_region(points, x, y) -> None:
    worst = (-1.0 if x == "max" else 7.0, -1.0 if y == "max" else 7.0)
    line = staircase(points, x, y, worst)
    # Every vertex is reached (some point is no worse) and none lies inside (no point is better in both).
    for vertex in line:
        assert any(better_or_equal(p, vertex, x, y) for p in points)
        assert not any(
            better_or_equal(p, vertex, x, y) and p[0] != vertex[0] and p[1] != vertex[1] for p in points
        )
    # Steps are horizontal or vertical, by growing x.
    for (x1, y1), (x2, y2) in pairwise(line):
        assert x1 <= x2
        assert x1 == x2 or y1 == y2


def identities(figure, faded: bool) -> set[str]:
    return {
        c[0]
        for t in figure.data
        if t.customdata is not None and (t.marker.opacity < 1) == faded
        for c in t.customdata
    }


@pytest.mark.parametrize("budget", [1.0, 2.0])
def test_front_figure_separates_front_from_dominated(budget: float) -> None:
    ranking = rank(TABLE, budget)
    figure = front_figure(TABLE, ranking.ranks, FrontView(budget=budget))
    assert identities(figure, faded=False) == ranking.front
    assert identities(figure, faded=True) == {t.id for t in TABLE} - ranking.front
    without = front_figure(TABLE, ranking.ranks, FrontView(budget=budget, dominated=False))
    assert identities(without, faded=True) == set()
    assert f"{len(ranking.front)} of {len(TABLE)} trials" in figure.layout.title.text


def test_points_lie_at_the_metrics_of_the_budget() -> None:
    figure = front_figure(TABLE, rank(TABLE, 4.0).ranks, FrontView(budget=4.0))
    at = {
        c[0]: (u, v)
        for t in figure.data
        if t.customdata is not None
        for c, u, v in zip(t.customdata, t.x, t.y, strict=True)
    }
    assert at == {t.id: (t.budgets[4.0]["recall"], t.budgets[4.0]["precision"]) for t in TABLE}


def test_a_trial_without_the_metric_is_left_out() -> None:
    first = replace(TABLE.trials[0], metrics={}, budgets={})
    table = replace(TABLE, trials=(first, *TABLE.trials[1:]))
    figure = front_figure(table, rank(table).ranks)
    assert identities(figure, True) | identities(figure, False) == {t.id for t in TABLE.trials[1:]}


def test_paths_are_drawn_on_demand_and_for_the_selected_trial() -> None:
    ranks = rank(TABLE).ranks
    chosen = TABLE.trials[0]
    names = {t.name for t in front_figure(TABLE, ranks).data}
    assert "paths in K" not in names
    assert "selected" not in names
    figure = front_figure(TABLE, ranks, FrontView(paths=True, selected=chosen.id))
    path = next(t for t in figure.data if t.name == "path in K")
    assert list(path.x) == [chosen.at_budget(k)["recall"] for k in (1.0, 1.5, 2.0, 4.0)]
    others = next(t for t in figure.data if t.name == "paths in K")
    assert sum(v is None for v in others.x) == len(TABLE) - 1


def test_colour_by_number_is_a_bar_and_by_word_a_legend() -> None:
    ranks = rank(TABLE).ranks
    by_lambda = front_figure(TABLE, ranks, FrontView(colour="objective.lam"))
    assert by_lambda.layout.coloraxis.cmin == pytest.approx(math.log10(0.05))
    assert by_lambda.layout.coloraxis.cmax == pytest.approx(math.log10(20))
    by_name = front_figure(TABLE, ranks, FrontView(colour="objective.name"))
    assert {t.name for t in by_name.data if t.showlegend is None and t.x == (None,)} == {"pr", "fgan"}


def test_dark_means_better_whatever_the_direction() -> None:
    ranks = rank(TABLE).ranks
    fid = front_figure(TABLE, ranks, FrontView(colour="fid")).layout.coloraxis.colorscale
    coverage = front_figure(TABLE, ranks, FrontView(colour="coverage")).layout.coloraxis.colorscale
    assert fid[0][1] == coverage[-1][1]


def test_axis_of_a_wide_parameter_is_logarithmic_and_has_no_staircase() -> None:
    figure = front_figure(TABLE, rank(TABLE).ranks, FrontView(x="objective.lam", y="fid"))
    assert figure.layout.xaxis.type == "log"
    assert "front line" not in {t.name for t in figure.data}


def test_many_points_go_to_webgl() -> None:
    copies = -(-(WEBGL_FROM + 1) // len(TABLE))
    trials = tuple(replace(t, id=f"{t.id}{i}") for i in range(copies) for t in TABLE)
    table = replace(TABLE, trials=trials)
    kinds = {t.type for t in front_figure(table, rank(table).ranks).data if t.customdata is not None}
    assert kinds == {"scattergl"}


def test_an_empty_table_is_drawn() -> None:
    empty = replace(TABLE, trials=())
    assert "0 of 0" in front_figure(empty, {}).layout.title.text


def test_hover_has_varying_parameters_first_and_escapes_values() -> None:
    trial = replace(TABLE.trials[0], params={**TABLE.trials[0].params, "note": SCRIPT, "long": "z" * 500})
    text = hover_text(trial, ["note", "long", "objective.lam"], 1.0, 0, ["precision"])
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert max(map(len, text.split("<br>"))) < 200
    assert text.index("note") < text.index("λ") < text.index("Precision")


def test_columns_know_their_kind() -> None:
    assert column(TABLE, "fid").direction == "min"
    assert column(TABLE, "objective.lam").log
    assert not column(TABLE, "precision").log
    assert not column(TABLE, "objective.name").numeric
    assert "objective.name" not in numeric_names(TABLE)
    assert "objective.name" in colour_names(TABLE)
    assert "acceptance" in numeric_names(TABLE)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.123456, "0.123"), (2.0, "2"), (1e-5, "1.00e-05"), (123.4, "123"), (math.nan, "–"), (0.0, "0")],
)
def test_number(value: float, text: str) -> None:
    assert number(value) == text


def test_score_has_fixed_decimals() -> None:
    assert [score(v) for v in (0.5, 12.3456, 250.0, None, math.inf)] == [
        "0.500",
        "12.346",
        "250.00",
        "–",
        "–",
    ]


def test_samples_are_read_and_drawn_per_budget() -> None:
    samples = Samples.from_artifact(MADE[0].samples)
    assert samples is not None
    assert samples.available() == [1.0, 1.5, 2.0, 4.0]
    figure = samples_figure(samples, 2.0)
    assert [t.name for t in figure.data] == ["real", "model"]
    assert [len(t.x) for t in figure.data] == [40, 20]


def test_one_dimensional_samples_become_densities() -> None:
    samples = Samples.from_artifact(
        {"real": [[i / 100] for i in range(100)], "fake": [[0.5], [0.25], [0.75]]}
    )
    assert samples is not None
    real = samples_figure(samples).data[0]
    area = sum(h * (b - a) for h, a, b in zip(real.y, real.x, real.x[1:], strict=False))
    assert area == pytest.approx(1.0, abs=0.03)


@pytest.mark.parametrize(
    "raw",
    [
        None,
        {},
        {"fake": "text"},
        {"fake": [[1, 2, 3]]},
        {"fake": [[1, 2], [3]]},
        {"fake": [[1, 2]], "real": [[1]]},
    ],
)
def test_other_artifacts_are_no_samples(raw) -> None:
    assert Samples.from_artifact(raw) is None


def test_curve_is_read_and_drawn() -> None:
    points = read_curve(MADE[0].curve)
    assert len(points) == 60
    figure = pr_curve_figure({SCRIPT: MADE[0].curve, "b": MADE[1].curve, "broken": {"recall": 3}})
    assert len(figure.data) == 2
    assert tuple(figure.data[0].x) == tuple(p[0] for p in points)
    assert "<script" not in figure.data[0].name


@pytest.mark.parametrize("raw", [None, {}, {"recall": [1], "precision": [None], "lambda": ["x"]}])
def test_other_artifacts_are_no_curve(raw) -> None:
    assert read_curve(raw) == []


def test_history_puts_unbounded_metrics_on_the_right() -> None:
    figure = history_figure({"precision": [(1, 0.5), (2, 0.6)], "fid": [(1, 9.0), (2, math.nan), (3, 4.0)]})
    assert [t.yaxis for t in figure.data] == ["y", "y2"]
    assert list(figure.data[1].x) == [1, 3]


def test_spread_over_seeds() -> None:
    rows = spread_by_lambda(TABLE, "precision")
    assert [r[0] for r in rows] == [0.05, 0.1, 0.3, 1.0, 3.0, 10.0, 20.0]
    assert {r[3] for r in rows} == {3}
    values = [t.metrics["precision"] for t in TABLE if t.params.get("objective.lam") == 1.0]
    mean = sum(values) / 3
    assert rows[3][1] == pytest.approx(mean)
    assert rows[3][2] == pytest.approx(math.sqrt(sum((v - mean) ** 2 for v in values) / 2))
    failed = replace(TABLE, trials=tuple(replace(t, status="failed") for t in TABLE))
    assert spread_by_lambda(failed, "precision") == []


def test_lambda_figure_has_both_metrics() -> None:
    figure = lambda_figure(TABLE, budget=2.0)
    lines = {t.name: t for t in figure.data if t.name}
    assert set(lines) == {"Precision", "Recall"}
    assert list(lines["Precision"].y) == [r[1] for r in spread_by_lambda(TABLE, "precision", 2.0)]


def test_themes_change_the_template_and_nothing_else() -> None:
    figure = front_figure(TABLE, rank(TABLE).ranks)
    light, dark = themed(figure, LIGHT), themed(figure, DARK)
    assert light.layout.template.layout.font.color == LIGHT.text
    assert dark.layout.template.layout.font.color == DARK.text
    assert light.data == dark.data == figure.data


def test_a_table_is_not_needed_to_have_objectives_as_axes() -> None:
    table = TrialTable("one", TABLE.goals[:1], TABLE.trials)
    figure = front_figure(table, rank(table).ranks, FrontView(x="coverage", y="density"))
    assert "on the front of precision" in figure.layout.title.text
