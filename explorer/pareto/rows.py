"""Trials as rows, one per trial and reading: what CSV files and data frames hold alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from explorer.pareto.document import reading_order
from explorer.pareto.ranking import rank, reference_point
from explorer.results.table import Scalar, Trial, TrialTable
from explorer.store.schema import At

__all__ = ["LEADING", "RowColumns", "TrialRow", "columns_of", "trial_rows"]

LEADING = ("id", "status", "method", "budget", "on_front", "rank", "why")
"""Columns before parameters and metrics; ``why`` it failed or was ended early."""


class RowColumns(NamedTuple):
    """Dotted paths of parameters, by name, and keys of metrics, in the catalogue's order."""

    params: tuple[str, ...]
    metrics: tuple[str, ...]

    def headings(self) -> list[str]:
        """A heading per column, ``LEADING`` first, no two alike: of a metric ``id`` it is ``metric:id``."""
        taken = dict.fromkeys(LEADING)
        for kind, names in (("param", self.params), ("metric", self.metrics)):
            for name in names:
                heading = name
                while heading in taken:
                    heading = f"{kind}:{heading}"
                taken[heading] = None
        return list(taken)


class TrialRow(NamedTuple):
    """A trial at one reading; ``rank`` is that among all trials at this reading, None if it has none there."""

    trial: Trial
    at: At
    rank: int | None

    def cells(self, columns: RowColumns) -> list[Scalar]:
        """Values of parameters and metrics; None where there is none."""
        metrics = self.trial.readings[self.at]
        return [
            *(self.trial.params.get(path) for path in columns.params),
            *(metrics.get(key) for key in columns.metrics),
        ]


def columns_of(table: TrialTable) -> RowColumns:
    """What some trial of the table has."""
    keys = {name for trial in table for read in trial.readings.values() for name in read}
    paths = {path for trial in table for path in trial.params}
    return RowColumns(tuple(sorted(paths)), tuple(table.catalogue.ordered(keys)))


def trial_rows(table: TrialTable) -> Iterator[TrialRow]:
    """Every trial at every reading it has, in the table's order; ranks are computed once a reading, all O(rows)."""
    keys, corner = {at for trial in table for at in trial.readings}, reference_point(table)
    ranks = {at: rank(table, at, corner).ranks for at in keys}
    for trial in table:
        for at in sorted(trial.readings, key=reading_order):
            yield TrialRow(trial, at, ranks[at].get(trial.id))
