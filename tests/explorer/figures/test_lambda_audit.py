"""Precision and recall against λ: a panel per setting of the rest, mean and standard deviation over its seeds."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import cycle

import pytest

from explorer.figures import lambda_figure, spread_by_lambda
from explorer.figures.lambda_audit import PANELS
from explorer.results.audit import audit_lambda
from explorer.results.catalogue import Catalogue
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, At
from tests.app.made_sweep import LAMBDAS, SCRIPT

K2 = At("obrs", 2.0)


def settings(table: TrialTable, bounds: tuple[object, ...]) -> TrialTable:
    """The trials again under every value of a further parameter, their precision shifted a little."""
    trials = []
    for i, bound in enumerate(bounds):
        for t in table:
            readings = {at: {**m, "precision": m["precision"] - i / 100} for at, m in t.readings.items()}
            params = {**t.params, "constraint.lipschitz": bound}
            trials.append(replace(t, id=f"{t.id}-{i}", params=params, readings=readings))  # type: ignore[arg-type]
    return replace(table, trials=tuple(trials))


def test_spread_over_seeds(table: TrialTable) -> None:
    rows = spread_by_lambda(table, "precision")
    assert [r[0] for r in rows] == list(LAMBDAS)
    assert {r[3] for r in rows} == {3}
    values = [t.metrics["precision"] for t in table if t.params.get("objective.lam") == 1.0]
    mean = sum(values) / 3
    assert rows[3][1] == pytest.approx(mean)
    assert rows[3][2] == pytest.approx(math.sqrt(sum((v - mean) ** 2 for v in values) / 2))


def test_a_single_seed_has_no_spread_and_other_values_do_not_count(table: TrialTable) -> None:
    first, second, third = table.trials[:3]
    odd = replace(second, readings={PLAIN: {"precision": math.nan}})
    words = replace(third, params={**third.params, "objective.lam": "large"})
    (row,) = spread_by_lambda((first, odd, words), "precision")
    assert row == (0.05, first.metrics["precision"], 0.0, 1)


def test_one_setting_is_one_panel_at_the_audits_reading(table: TrialTable) -> None:
    figure = lambda_figure(table, audit_lambda(table, K2))
    lines = {t.name: t for t in figure.data if t.name}
    assert set(lines) == {"Precision", "Recall"}
    assert list(lines["Precision"].y) == [r[1] for r in spread_by_lambda(table, "precision", K2)]
    assert lines["Precision"].y != lambda_figure(table, audit_lambda(table)).data[1].y
    assert "K = 2" in figure.layout.title.subtitle.text
    assert figure.layout.title.text == "λ trades recall for precision"
    assert figure.layout.xaxis.type == "log"
    assert not figure.layout.annotations


def test_every_setting_has_a_panel_of_its_own_trials_under_its_name(table: TrialTable) -> None:
    four = settings(table, (1.0, 5.0, 20.0, 80.0))
    figure = lambda_figure(four, audit_lambda(four))
    lines = [t for t in figure.data if t.name == "Precision"]
    assert [line.xaxis for line in lines] == ["x", "x2", "x3", "x4"]
    lone = [r[1] for r in spread_by_lambda(table, "precision")]
    for i, line in enumerate(lines):
        assert list(line.y) == pytest.approx([y - i / 100 for y in lone]), "no panel pools the settings"
        assert {n for _, n in line.customdata} == {3}
    assert [a.text.split("   ")[0] for a in figure.layout.annotations] == ["L 1", "L 5", "L 20", "L 80"]
    assert [line.showlegend for line in lines] == [True, False, False, False]


def test_more_settings_than_panels_are_counted(table: TrialTable) -> None:
    many = settings(table, tuple(range(PANELS + 2)))
    figure = lambda_figure(many, audit_lambda(many))
    assert len([t for t in figure.data if t.name == "Precision"]) == PANELS
    assert f"{PANELS} of {PANELS + 2} settings" in figure.layout.title.subtitle.text


def test_the_band_is_one_standard_deviation_to_either_side(table: TrialTable) -> None:
    band = lambda_figure(table, audit_lambda(table)).data[0]
    rows = spread_by_lambda(table, "precision")
    upper, lower = band.y[: len(rows)], band.y[: len(rows) - 1 : -1]
    for (_, mean, sd, _), above, below in zip(rows, upper, lower, strict=True):
        assert (above, below) == (pytest.approx(mean + sd), pytest.approx(mean - sd))


def test_titles_are_text(table: TrialTable) -> None:
    entries = {**table.catalogue.entries}
    entries["precision"] = replace(entries["precision"], title=SCRIPT)
    odd = settings(replace(table, catalogue=Catalogue(entries)), (SCRIPT, "plain"))
    figure = lambda_figure(odd, audit_lambda(odd))
    assert "<script" not in json.dumps(figure.to_plotly_json(), default=str)


@pytest.mark.filterwarnings("error")
def test_the_greatest_floats_have_no_mean_and_no_warning(table: TrialTable) -> None:
    trials = [replace(t, readings={PLAIN: {"precision": 1.6e308}}) for t in table]
    assert all(not math.isfinite(mean) for _, mean, _, _ in spread_by_lambda(trials, "precision"))


def test_an_axis_of_many_decades_has_few_ticks(table: TrialTable) -> None:
    lambdas = cycle([1e-300, 1.0, 1e300])
    trials = tuple(replace(t, params={"objective.lam": next(lambdas)}) for t in table.finished())
    wide = replace(table, trials=trials)
    assert lambda_figure(wide, audit_lambda(wide)).layout.xaxis.dtick == 38
    assert lambda_figure(table, audit_lambda(table)).layout.xaxis.dtick == 1
