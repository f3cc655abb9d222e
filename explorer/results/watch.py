"""A sweep that is looked at again and again: what has not changed is neither read nor made anew."""

from __future__ import annotations

import time
from dataclasses import replace

from explorer.results.cache import Memory
from explorer.results.store import ResultStore, SweepInfo
from explorer.results.table import Trial, TrialTable
from explorer.store.addresses import sqlite_file
from explorer.store.pulse import Mark, Pulse

__all__ = ["Watch", "renewed"]


class Watch:
    """One sweep of a store, for one thread at a time.

    A look at a store in which nothing happened returns the very table of the last one; of one that has news, the trials
    whose runs have not changed are those of the last one too. A SQLite store is asked in some milliseconds whether
    anything in it changed, and then, as any other, for the runs that did.

    Attributes:
        seconds: what another look is expected to take.
    """

    def __init__(self, store: ResultStore, info: SweepInfo) -> None:
        self._store, self._info = store, info
        self._memory = Memory(fresh=store.fresh)
        self._last: TrialTable | None = None
        self._pulse = Pulse(sqlite_file(store.uri))
        self._mark: Mark | None = None
        self.seconds = 0.0

    def look(self) -> TrialTable:
        """The sweep as it is now."""
        began = time.perf_counter()
        mark = self._pulse.mark()  # before it is read: what is written meanwhile is news again next time
        if self._last is not None and mark is not None and mark == self._mark:
            return self._last
        is_first = self._last is None
        found = self._store.table(self._info.name, self._info.experiment_id, self._memory)
        self._last = renewed(found, self._last)
        self._mark = mark
        took = time.perf_counter() - began
        # A file is read whole once; later looks compare, and read what changed.
        self.seconds = took / 5 if is_first and mark is not None else took
        return self._last


def renewed(found: TrialTable, before: TrialTable | None) -> TrialTable:
    """The table ``before`` if it is the same, else the one found, with the trials that are the same. O(trials)."""
    if before is None:
        return found
    old = {trial.id: trial for trial in before.trials}
    trials = tuple(_same(trial, old.get(trial.id)) for trial in found.trials)
    kept = len(trials) == len(before.trials) and all(
        a is b for a, b in zip(trials, before.trials, strict=True)
    )
    if kept and replace(found, trials=()) == replace(before, trials=()):
        return before
    return replace(found, trials=trials)


def _same(trial: Trial, before: Trial | None) -> Trial:
    return before if before is not None and (trial is before or trial == before) else trial
