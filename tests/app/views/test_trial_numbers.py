"""The table of readings: a row per K of the method, intervals where they were measured, titles explained."""

from __future__ import annotations

import re

from app.views.trial_numbers import _everything, readings_table
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At
from tests.app.made_sweep import MADE, TWO_METHODS, read_table

K2 = At("obrs", 2.0)


def cells(markup: str) -> list[list[str]]:
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in markup.split("<tr")[1:]]


def test_every_budget_has_its_row_and_the_one_shown_is_marked(store_uri: str) -> None:
    table = read_table(store_uri, MADE)
    trial = table.trials[0]
    shown = readings_table(table, trial, K2, "obrs")
    head, *rows = cells(shown)
    assert head[:3] == ["K", "Precision", "Recall"]
    assert head[-1] == "Acceptance"
    assert [row[0] for row in rows] == ["1", "1.5", "2", "4"]
    assert rows[2][1] == f"{trial.readings[K2]['precision']:.3f}"
    assert shown.count('class="on"') == 1
    assert '<tr class="on"><td>2</td>' in shown
    assert re.search(r'<th title="[^"]{10,}">Precision</th>', shown), "explained on hover"


def test_rows_are_those_of_the_method(store_uri: str) -> None:
    table = read_table(store_uri, TWO_METHODS)
    _, *rows = cells(readings_table(table, table.trials[0], PLAIN, "other"))
    assert [row[0] for row in rows] == ["1", "2", "3"]


def test_intervals_stand_below_the_values_that_have_them(store_uri: str) -> None:
    table = read_table(store_uri, MADE)
    read = {
        "precision": 0.5,
        "precision.low": 0.45,
        "precision.high": 0.56,
        "recall": 0.25,
        "recall.low": 0.2,
    }
    trial = Trial("a", "r", "finished", {}, {PLAIN: read})
    _, row = cells(readings_table(table, trial, PLAIN, "obrs"))
    assert row[1].startswith("0.500<small")
    assert "0.450 – 0.560" in row[1]
    assert row[2] == "0.250", "half an interval is none"


def test_everything_is_everything_but_ends_of_intervals() -> None:
    read = {"precision": 0.5, "precision.low": 0.4, "precision.high": 0.6, "odd": 3.0}
    trial = Trial("a", "r", "finished", {}, {PLAIN: read, K2: {"precision": 0.7}})
    table = TrialTable("s", (), (trial,))
    assert dict(_everything(table, trial, K2)) == {"Precision": "0.7", "odd": "3"}
    assert dict(_everything(table, trial, PLAIN))["Precision"] == "0.5"
