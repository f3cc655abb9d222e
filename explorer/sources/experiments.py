"""Experiments that others wrote: every run is a trial, with parameters and metrics as they are.

Of nested runs the children are the trials: a parent holds no measurement of its own.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import UTC, datetime

from explorer.results.catalogue import built_in
from explorer.results.experiments import experiment_runs, outlines
from explorer.results.runs import SweepInfo, trial_of
from explorer.results.store import ResultStore
from explorer.results.table import Trial, TrialTable
from explorer.results.watch import renewed
from explorer.sources.scalars import as_scalar
from explorer.sources.source import guessed_goals
from explorer.store.addresses import sqlite_file
from explorer.store.foreign import clean
from explorer.store.pulse import Pulse
from explorer.store.runs import StoredRun
from explorer.store.schema import PARENT

__all__ = ["ExperimentWatch", "experiment_table", "foreign_experiments"]

MOST_ASKED = 30
"""Experiments of a server that are asked whether they hold runs, each by a request."""


def foreign_experiments(store: ResultStore, ours: Collection[str]) -> list[SweepInfo]:
    """The experiments with runs that hold no sweep of ours, newest first."""
    found = [
        SweepInfo(
            name=clean(outline.name) or f"experiment {outline.experiment_id}",
            description="",
            status="running" if outline.running else "finished",
            trials=outline.runs,
            updated=_moment(outline.updated),
            experiment=clean(outline.name),
            experiment_id=outline.experiment_id,
            kind="experiment",
        )
        for outline in outlines(store, ours, MOST_ASKED)
        if outline.runs
    ]
    return sorted(found, key=lambda info: info.updated, reverse=True)


def _moment(millis: int) -> datetime:
    try:
        return datetime.fromtimestamp(millis / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return datetime.fromtimestamp(0, UTC)


class ExperimentWatch:
    """The runs of an experiment, read whole at every look; trials that have not changed are those of the last one."""

    def __init__(self, store: ResultStore, info: SweepInfo) -> None:
        self._store, self._info = store, info
        self._last: TrialTable | None = None
        self._pulse = Pulse(sqlite_file(store.uri))
        self._mark: object = None
        self.seconds = 0.0

    def look(self) -> TrialTable:
        """The experiment as it is now."""
        began, mark = time.perf_counter(), self._pulse.mark()
        if self._last is not None and mark is not None and mark == self._mark:
            return self._last
        faults: list[str] = []
        runs = experiment_runs(self._store, self._info.experiment_id, faults)
        self._last = renewed(experiment_table(self._info.name, runs, faults), self._last)
        self._mark, self.seconds = mark, time.perf_counter() - began
        return self._last


def experiment_table(name: str, runs: Iterable[StoredRun], faults: Iterable[str] = ()) -> TrialTable:
    """Runs of others as trials, under guessed objectives. O(runs)."""
    there = list(runs)
    parents = {run.tags[PARENT] for run in there if PARENT in run.tags}
    trials = tuple(_trial(run) for run in there if run.run_id not in parents)
    catalogue = built_in()
    names = dict.fromkeys(name for trial in trials for name in trial.metrics)
    told = [*faults, *(f"run {run.run_id} ({clean(fault)})" for run in there for fault in run.faults)]
    return TrialTable(name, guessed_goals(sorted(names), catalogue), trials, "", catalogue, tuple(told))


def _trial(run: StoredRun) -> Trial:
    found = trial_of(run)
    params = {
        path: as_scalar(value) if isinstance(value, str) else value for path, value in found.params.items()
    }
    return replace(found, id=run.run_id, params={path: v for path, v in params.items() if v is not None})
