"""Trials as a data frame: the rows of the CSV file, with types that pandas can count with."""

from __future__ import annotations

import io

import pandas as pd

from explorer.pareto import trials_csv, trials_frame
from explorer.results.table import TrialTable
from tests.explorer.pareto.test_document import TABLE


def test_it_is_the_csv_file_with_types() -> None:
    frame = trials_frame(TABLE)
    again = pd.read_csv(io.StringIO(trials_csv(TABLE)), dtype={"rank": "Int64", "why": "string"})
    pd.testing.assert_frame_equal(frame, again, check_dtype=False)
    assert frame["rank"].astype(object).where(frame["rank"].notna(), None).tolist() == [
        0,
        1,
        1,
        None,
        0,
        None,
    ]
    assert [str(frame[name].dtype) for name in ("budget", "on_front", "rank", "fid")] == [
        "float64", "bool", "Int64", "float64"
    ]  # fmt: skip


def test_a_table_without_trials_has_its_columns() -> None:
    assert list(trials_frame(TrialTable("t", TABLE.goals, ()))) == [
        "id", "status", "method", "budget", "on_front", "rank", "why"
    ]  # fmt: skip
