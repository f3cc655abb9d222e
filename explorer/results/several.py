"""Several sweeps as one table, so that one front has the trials of all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from explorer.errors import UserError, brief
from explorer.results.catalogue import Catalogue
from explorer.results.table import Trial, TrialTable

__all__ = ["joined"]


def joined(tables: Sequence[TrialTable]) -> TrialTable:
    """The trials of all tables under the objectives of the first, each with the name of its sweep as ``sweep``.

    A trial that lies in two sweeps is in it twice, the second one called ``SWEEP/identity``. What some sweep did not
    measure is told. O(trials).
    """
    if not tables:
        raise UserError("sweeps that are laid side by side must be one at least, got none; name a sweep")
    names = [table.sweep for table in tables]
    if len(set(names)) < len(names):
        raise UserError(f"every sweep is named once, got {brief(', '.join(names))}; leave one out")
    if len(tables) == 1:
        return tables[0]
    first = tables[0]
    known = [table.catalogue for table in reversed(tables)]
    catalogue = Catalogue(
        {key: entry for one in known for key, entry in one.entries.items()},
        {name: words for one in known for name, words in one.methods.items()},
        {path: words for one in known for path, words in one.fields.items()},
    )
    return TrialTable(
        " + ".join(names),
        first.goals,
        tuple(_trials(tables)),
        "",
        catalogue,
        tuple(fault for table in tables for fault in (*table.faults, *_missing(table, first))),
        tuple(names),
    )


def _trials(tables: Sequence[TrialTable]) -> Iterator[Trial]:
    seen: set[str] = set()
    for table in tables:
        for trial in table:
            identity = trial.id if trial.id not in seen else f"{table.sweep}/{trial.id}"
            seen.add(identity)
            yield replace(trial, id=identity, params={**trial.params, "sweep": table.sweep})


def _missing(table: TrialTable, first: TrialTable) -> Iterator[str]:
    """Objectives without which no trial of a table is on the front."""
    there = {metric for trial in table for metric in trial.metrics}
    for goal in first.goals:
        if goal.metric not in there and len(table.finished()):
            yield f"{goal.metric} of sweep {brief(table.sweep, 40)}, which did not measure it"
