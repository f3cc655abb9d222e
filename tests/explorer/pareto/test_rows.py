"""Rows of CSV and data frame: every trial at every reading, ranked there, columns in the catalogue's order."""

from __future__ import annotations

import time
from dataclasses import replace

from explorer.pareto.rows import RowColumns, columns_of, trial_rows
from explorer.store.schema import PLAIN, At
from tests.explorer.pareto.test_document import H3, K2, TABLE


def test_columns_are_what_some_trial_has() -> None:
    assert columns_of(TABLE) == RowColumns(("seed",), ("precision", "fid"))


def test_a_row_has_its_own_rank_and_cells() -> None:
    rows = list(trial_rows(TABLE))
    assert [(row.trial.id, row.at, row.rank) for row in rows] == [
        ("a", PLAIN, 0), ("a", K2, 1), ("b", PLAIN, 1), ("b", H3, None), ("b", K2, 0), ("c", PLAIN, None)
    ]  # fmt: skip
    assert rows[3].cells(columns_of(TABLE)) == [1, 1.0, None]


def test_no_two_columns_have_one_heading() -> None:
    """Others may call a parameter or a metric what we call a column of ours."""
    odd = RowColumns(("id", "param:id", "seed"), ("fid", "id", "rank", "seed"))
    assert odd.headings() == [
        "id", "status", "method", "budget", "on_front", "rank", "why",
        "param:id", "param:param:id", "seed", "fid", "metric:id", "metric:rank", "metric:seed",
    ]  # fmt: skip


def test_time_grows_with_the_rows_however_many_readings_there_are() -> None:
    readings = {PLAIN: {"precision": 0.5, "fid": 1.0}} | {
        At("obrs", 2 + i / 1000): {"precision": 0.5, "fid": 1.0} for i in range(2000)
    }
    many = replace(TABLE, trials=tuple(replace(trial, readings=readings) for trial in TABLE))
    began = time.perf_counter()
    assert len(list(trial_rows(many))) == 2001 * len(TABLE)
    assert time.perf_counter() - began < 1
