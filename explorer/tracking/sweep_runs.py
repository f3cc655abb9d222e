"""Finds and makes the runs of one sweep: its own and one for each trial, whatever answers of the store are lost."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from explorer.store import schema
from explorer.store.connection import Connection
from explorer.store.runs import Remembered, StoredRun, most_complete, remember, stored
from explorer.tracking.lease import Lease, RunGone
from explorer.tracking.stamps import Stamps

__all__ = ["SweepRuns", "Write"]

log = logging.getLogger(__name__)

T = TypeVar("T")


class Write(Protocol):
    """Does a piece of work that writes, repeated while the store is away; ``done`` as for ``Connection.call``."""

    def __call__(self, work: Callable[[], T], done: Callable[[], T | None] | None = None) -> T:
        """What the work returns."""
        ...


class SweepRuns:
    """Of runs that are there twice one stays, and the others go to MLflow's trash.

    Args:
        store: where they are.
        write: how is written there.
        experiment: id of the experiment.
        sweep: the sweep's name.
        stamps: hears of the times that runs have.
    """

    def __init__(self, store: Connection, write: Write, experiment: str, sweep: str, stamps: Stamps) -> None:
        self._store = store
        self._write = write
        self._experiment = experiment
        self._sweep = sweep
        self._stamps = stamps
        self._asked: set[str] = set()
        self._doubted = False

    def parent(self, tags: Mapping[str, str], lease: Lease | None) -> Remembered:
        """The sweep's own run, made with these tags if there is none, and ours to write from here on.

        Launches of a new sweep at the same time may each have created one, and one of a machine whose clock is late may
        come to be the oldest when another is held already: so it is looked again until it is the one that is held.
        """
        if self._oldest() is None:
            self._create({**tags, schema.NOTE: tags[schema.DESCRIPTION]}, self._sweep, self._oldest)
        held = ""
        while True:
            parent = self._oldest()
            assert parent is not None
            if lease is None or parent.run_id == held:
                return parent
            try:
                lease.take(parent.run_id)
            except RunGone:
                continue
            held = parent.run_id

    def _oldest(self) -> Remembered | None:
        """The sweep's oldest run; younger duplicates, which have no children yet, are deleted."""
        # The name is compared here, not in the filter: MLflow's filters know no escape for quotes.
        runs = self._store.search([self._experiment], {schema.KIND: "sweep"})
        same = sorted(
            (run for run in runs if run.tags.get(schema.SWEEP) == self._sweep),
            key=lambda run: (run.started, run.run_id),
        )
        for run in same[1:]:
            self._delete(run)
        return remember(same[0]) if same else None

    def children(self, parent: str, **also: str) -> dict[str, Remembered]:
        """Children by identity; of runs with one identity the most complete stays."""
        runs: dict[str, list[StoredRun]] = {}
        for run in self._store.search([self._experiment], {schema.PARENT: parent, **also}):
            if schema.TRIAL in run.tags:
                runs.setdefault(run.tags[schema.TRIAL], []).append(run)
        children = {}
        for trial, same in runs.items():
            kept, *others = most_complete(same)
            self._stamps.saw(kept.started, kept.ended)
            for run in others:
                self._delete(run)
            children[trial] = remember(kept)
        return children

    def make_child(self, parent: str, trial: str, at: int, name: str) -> Remembered:
        """A run for a trial that has none."""
        tags = {
            schema.KIND: "trial",
            schema.SWEEP: self._sweep,
            schema.TRIAL: trial,
            schema.PARENT: parent,
            schema.LAYOUT: schema.LAYOUT_NOW,
        }

        def made() -> Remembered | None:
            self._doubted = True
            return self.children(parent, **{schema.TRIAL: trial}).get(trial)

        if trial in self._asked:  # and no answer came, in a call that gave up
            found = self._write(made)
            if found is not None:
                return found
        self._asked.add(trial)
        return self._create(tags, name or trial, made, at)

    def tidy(self, parent: str) -> None:
        """A request that was given up may have come late, and made a run beside the one that counts."""
        if self._doubted:
            self.children(parent)

    def _create(
        self, tags: Mapping[str, str], name: str, done: Callable[[], Remembered | None], at: int | None = None
    ) -> Remembered:
        """A new run, its tags set in the same request: no crash leaves a run without identity."""
        client = self._store.client
        return self._write(
            lambda: remember(
                stored(client.create_run(self._experiment, start_time=at, tags=dict(tags), run_name=name))
            ),
            done,
        )

    def _delete(self, run: StoredRun) -> None:
        log.warning("run %s repeats another of sweep '%s'; moved to MLflow's trash", run.run_id, self._sweep)
        self._write(lambda: self._store.client.delete_run(run.run_id))
