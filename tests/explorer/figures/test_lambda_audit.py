"""Precision and recall against λ: mean and standard deviation over seeds, of finished trials alone."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from explorer.figures import lambda_figure, spread_by_lambda
from explorer.results.catalogue import Catalogue
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, At
from tests.app.made_sweep import LAMBDAS, SCRIPT

K2 = At("obrs", 2.0)


def test_spread_over_seeds(table: TrialTable) -> None:
    rows = spread_by_lambda(table, "precision")
    assert [r[0] for r in rows] == list(LAMBDAS)
    assert {r[3] for r in rows} == {3}
    values = [t.metrics["precision"] for t in table if t.params.get("objective.lam") == 1.0]
    mean = sum(values) / 3
    assert rows[3][1] == pytest.approx(mean)
    assert rows[3][2] == pytest.approx(math.sqrt(sum((v - mean) ** 2 for v in values) / 2))
    failed = replace(table, trials=tuple(replace(t, status="failed") for t in table))
    assert spread_by_lambda(failed, "precision") == []


def test_a_single_seed_has_no_spread_and_other_values_do_not_count(table: TrialTable) -> None:
    first, second, third = table.trials[:3]
    odd = replace(second, readings={PLAIN: {"precision": math.nan}})
    words = replace(third, params={**third.params, "objective.lam": "large"})
    (row,) = spread_by_lambda(replace(table, trials=(first, odd, words)), "precision")
    assert row == (0.05, first.metrics["precision"], 0.0, 1)


def test_lambda_figure_has_both_metrics_of_its_reading(table: TrialTable) -> None:
    figure = lambda_figure(table, K2)
    lines = {t.name: t for t in figure.data if t.name}
    assert set(lines) == {"Precision", "Recall"}
    assert list(lines["Precision"].y) == [r[1] for r in spread_by_lambda(table, "precision", K2)]
    assert lines["Precision"].y != lambda_figure(table).data[1].y
    assert "K = 2" in figure.layout.title.subtitle.text
    assert figure.layout.xaxis.type == "log"


def test_the_band_is_one_standard_deviation_to_either_side(table: TrialTable) -> None:
    band = lambda_figure(table).data[0]
    rows = spread_by_lambda(table, "precision")
    upper, lower = band.y[: len(rows)], band.y[: len(rows) - 1 : -1]
    for (_, mean, sd, _), above, below in zip(rows, upper, lower, strict=True):
        assert (above, below) == (pytest.approx(mean + sd), pytest.approx(mean - sd))


def test_titles_are_text(table: TrialTable) -> None:
    entries = {**table.catalogue.entries}
    entries["precision"] = replace(entries["precision"], title=SCRIPT)
    figure = lambda_figure(replace(table, catalogue=Catalogue(entries)), title=SCRIPT)
    assert "<script" not in json.dumps(figure.to_plotly_json(), default=str)
