"""Trials as a data frame, in the layout of the CSV file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.pareto.rows import columns_of, trial_rows
from explorer.results.table import TrialTable

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["trials_frame"]


def trials_frame(table: TrialTable) -> pd.DataFrame:
    """A row per trial and reading: what names the row, parameters by dotted path, metrics by key.

    ``budget`` is a float, ``rank`` a whole number or missing, ranked at the row's own reading; what a trial does not
    have is missing.
    """
    import pandas as pd

    columns = columns_of(table)
    rows = [
        [row.trial.id, row.trial.status, *row.at, row.rank == 0, row.rank, row.trial.why, *row.cells(columns)]
        for row in trial_rows(table)
    ]
    headings = columns.headings()
    frame = pd.DataFrame(rows, columns=headings)
    types = {"budget": "float64", "on_front": "bool", "rank": "Int64", "why": "string"}
    measured = headings[len(headings) - len(columns.metrics) :]
    return frame.astype(types | dict.fromkeys(measured, "float64"))
