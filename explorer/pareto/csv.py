"""Trials as CSV: one layout for the command and the app, a row per trial and reading."""

from __future__ import annotations

import csv
import io

from explorer.pareto.rows import LEADING, RowColumns, columns_of, trial_rows
from explorer.results.catalogue import built_in, reads_as_metric
from explorer.results.table import Scalar, TrialTable
from explorer.sources.scalars import FORMULA, as_cell
from explorer.store.schema import budget_text

__all__ = ["harmless", "trials_csv"]


def trials_csv(table: TrialTable) -> str:
    """A row per trial and reading; what a trial does not have stays empty.

    The rank is that among all trials at the row's own reading. Texts that a spreadsheet would run as formulas are
    quoted, and so are those that would be read as something else, a text ``007`` as a number.
    """
    columns = columns_of(table)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([as_cell(cell) for cell in _headings(columns)])
    for row in trial_rows(table):
        trial, at, rank = row
        lead = [
            trial.id,
            trial.status,
            at.method,
            budget_text(at.budget),
            rank == 0,
            rank,
            harmless(trial.why),
        ]
        writer.writerow([*lead, *map(as_cell, row.cells(columns))])
    return out.getvalue()


def _headings(columns: RowColumns) -> list[str]:
    """Headings by which whoever reads the file tells parameters from metrics, which begin at the first one known."""
    known, headings = built_in(), columns.headings()
    for number in range(len(LEADING), len(headings)):
        place, is_known = number - len(LEADING), reads_as_metric(headings[number], known)
        if is_known and place < len(columns.params):
            headings[number] = f"param:{headings[number]}"
        elif not is_known and place == len(columns.params):
            headings[number] = f"metric:{headings[number]}"
    return headings


def harmless(value: Scalar) -> Scalar:
    """A cell that no spreadsheet runs: text that would begin a formula is quoted."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
