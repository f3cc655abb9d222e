"""Trials as CSV: a row per trial and reading, ranked at its own reading, harmless to spreadsheets."""

from __future__ import annotations

import csv
import io

from explorer.pareto import trials_csv
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN
from explorer.store.stop import Stop
from tests.explorer.pareto.test_document import TABLE


def rows(table: TrialTable = TABLE) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(trials_csv(table))))


def test_a_row_per_trial_and_reading() -> None:
    assert [(r["id"], r["method"], r["budget"]) for r in rows()] == [
        ("a", "none", "1"), ("a", "obrs", "2"),
        ("b", "none", "1"), ("b", "halving", "3"), ("b", "obrs", "2"),
        ("c", "none", "1"),
    ]  # fmt: skip


def test_a_rank_is_that_at_the_rows_own_reading() -> None:
    assert [(r["rank"], r["on_front"]) for r in rows()] == [
        ("0", "True"), ("1", "False"), ("1", "False"), ("", "False"), ("0", "True"), ("", "False")
    ]  # fmt: skip


def test_what_a_trial_does_not_have_stays_empty() -> None:
    last = rows()[-1]
    assert (last["seed"], last["fid"], last["status"]) == ("", "", "killed")
    assert list(last) == [
        "id",
        "status",
        "method",
        "budget",
        "on_front",
        "rank",
        "why",
        "seed",
        "precision",
        "fid",
    ]


def test_text_that_a_spreadsheet_would_run_is_quoted() -> None:
    params = {"a": "=1+1", "b": "-2", "c": "@x", "d": "plain", "e": -2.0, "=f": "+3"}
    (row,) = rows(TrialTable("t", TABLE.goals, (Trial("a", "r", "finished", params, {PLAIN: {}}),)))
    assert [row[key] for key in "abcde"] == ["'=1+1", "'-2", "'@x", "plain", "-2.0"]
    assert row["'=f"] == "'+3"


def test_why_a_trial_failed_or_was_ended_early_is_told() -> None:
    stopped = Trial("b", "r", "finished", {}, {PLAIN: {}}, stopped=Stop(20, "x", "starved: no gradient"))
    failed = Trial("a", "r", "failed", {}, {PLAIN: {}}, reason="=out of memory")
    found = rows(TrialTable("t", TABLE.goals, (failed, stopped)))
    assert [row["why"] for row in found] == [
        "'=out of memory",
        "stopped at iteration 20: starved: no gradient",
    ]


def test_an_empty_table_has_its_heading() -> None:
    assert trials_csv(TrialTable("t", TABLE.goals, ())) == "id,status,method,budget,on_front,rank,why\n"
