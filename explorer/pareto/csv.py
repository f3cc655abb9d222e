"""Trials as CSV: one layout for the command and the app, a row per trial and reading."""

from __future__ import annotations

import csv
import io

from explorer.pareto.rows import columns_of, trial_rows
from explorer.results.table import Scalar, TrialTable
from explorer.store.schema import budget_text

__all__ = ["harmless", "trials_csv"]


def trials_csv(table: TrialTable) -> str:
    """A row per trial and reading; what a trial does not have stays empty.

    The rank is that among all trials at the row's own reading. Texts that a spreadsheet would run as formulas are
    quoted.
    """
    columns = columns_of(table)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([harmless(cell) for cell in columns.headings()])
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
        writer.writerow([*lead, *map(harmless, row.cells(columns))])
    return out.getvalue()


def harmless(value: Scalar) -> Scalar:
    """A cell that no spreadsheet runs: text that would begin a formula is quoted."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
