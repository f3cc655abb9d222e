"""Trials as CSV: one layout for the command and the app, a row per trial and reading."""

from __future__ import annotations

import csv
import io

from explorer.pareto.document import reading_order
from explorer.pareto.ranking import rank
from explorer.results.table import Scalar, TrialTable
from explorer.store.schema import budget_text

__all__ = ["trials_csv"]


def trials_csv(table: TrialTable) -> str:
    """A row per trial and reading; what a trial does not have stays empty.

    The rank is that among all trials at the row's own reading. Texts that a spreadsheet would run as formulas are
    quoted.
    """
    paths = sorted({path for trial in table for path in trial.params})
    keys = sorted({at for trial in table for at in trial.readings}, key=reading_order)
    metrics = table.catalogue.ordered({name for t in table for read in t.readings.values() for name in read})
    ranks = {at: rank(table, at).ranks for at in keys}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = ["id", "status", "method", "budget", "on_front", "rank", *paths, *metrics]
    writer.writerow([_harmless(cell) for cell in head])
    for trial in table:
        for at in sorted(trial.readings, key=reading_order):
            place = ranks[at].get(trial.id)
            row: list[Scalar] = [trial.id, trial.status, at.method, budget_text(at.budget), place == 0, place]
            row += [_harmless(trial.params.get(path)) for path in paths]
            row += [trial.readings[at].get(metric) for metric in metrics]
            writer.writerow(row)
    return out.getvalue()


def _harmless(value: Scalar) -> Scalar:
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
