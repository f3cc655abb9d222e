"""The runs that somebody names, each with its sweep and the seeds of its configuration there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from explorer.comparison.sides import Side, names_of
from explorer.errors import UserError, brief
from explorer.results.columns import Columns
from explorer.results.lookup import Found, find_run
from explorer.results.store import ResultStore
from explorer.results.table import TrialTable

__all__ = ["FEWEST_SIDES", "MOST_SIDES", "open_sides"]

FEWEST_SIDES, MOST_SIDES = 2, 8
"""Runs beside each other; a table of more is for a file."""


def open_sides(
    store: ResultStore, words: Sequence[str], tell: Callable[[str], None] = lambda text: None
) -> list[Side]:
    """Two to eight runs of a store by what they are called; each sweep is read once. O(trials of their sweeps)."""
    if not FEWEST_SIDES <= len(words) <= MOST_SIDES:
        raise UserError(
            f"a comparison takes {FEWEST_SIDES} to {MOST_SIDES} runs, got {len(words)}; name runs as a trial's "
            "identity, SWEEP/TRIAL, or an id or name of MLflow's"
        )
    found = []
    for word in words:
        tell(f"looking for run {brief(word)}")
        found.append(find_run(store, word))
    _refuse_twins(words, found)
    tables: dict[tuple[str, str], Columns] = {}
    for run in found:
        if _sweep(run) not in tables:
            tell(f"reading {brief(run.sweep) or 'its experiment'}")
            tables[_sweep(run)] = Columns(_table(store, run))
    labels = _labels(store, tables)
    rows = [(labels[_sweep(run)], tables[_sweep(run)], _row(tables[_sweep(run)], run)) for run in found]
    return [Side(*row, name) for row, name in zip(rows, names_of(rows), strict=True)]


def _refuse_twins(words: Sequence[str], found: Sequence[Found]) -> None:
    """A run beside itself tells nothing."""
    often = Counter(run.run_id for run in found)
    same = [word for word, run in zip(words, found, strict=True) if often[run.run_id] > 1]
    if same:
        raise UserError(
            f"each run is compared once, and {' and '.join(repr(brief(word)) for word in same[:2])} are the same one"
        )


def _sweep(run: Found) -> tuple[str, str]:
    """What holds a run: its sweep, by experiment and name; of others' runs the experiment."""
    return run.experiment_id, run.sweep if run.kind == "trial" else ""


def _table(store: ResultStore, run: Found) -> TrialTable:
    """All trials of what holds a run."""
    experiment, sweep = _sweep(run)
    if sweep:
        return store.table(sweep, experiment)
    from explorer.results.experiments import experiment_runs
    from explorer.sources.experiments import experiment_table

    faults: list[str] = []
    runs = experiment_runs(store, experiment, faults)
    return experiment_table(store.experiments().get(experiment, f"experiment {experiment}"), runs, faults)


def _labels(store: ResultStore, tables: dict[tuple[str, str], Columns]) -> dict[tuple[str, str], str]:
    """Each table by its name, with the experiment where two share it."""
    often = Counter(columns.table.sweep for columns in tables.values())
    places = store.experiments() if any(count > 1 for count in often.values()) else {}
    return {
        key: columns.table.sweep
        if often[columns.table.sweep] == 1
        else f"{columns.table.sweep} @ {places.get(key[0], key[0])}"
        for key, columns in tables.items()
    }


def _row(columns: Columns, run: Found) -> int:
    """Where a run stands among the trials; of a trial's several runs the one that counts."""
    row = columns.row_of.get(run.trial if run.kind == "trial" else run.run_id)
    if row is None:
        raise UserError(
            f"run {run.run_id} must be one of the trials of '{brief(columns.table.sweep)}', and holds others itself; "
            "name one of them"
        )
    return row
