"""Writes runs that come whole from elsewhere: each once, with its own times, however often it is tried.

A run says in a tag of which content it is and whether all of that is there. One that is whole is passed over; one that
was begun is gone on with: MLflow stores a point of equal key, step, time and value once.
"""

from __future__ import annotations

import json
import math
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from explorer.errors import UserError, brief, root_cause, telling
from explorer.store import schema
from explorer.store.connection import Connection
from explorer.store.foreign import load_json
from explorer.store.runs import StoredRun, remember
from explorer.store.travel import unpacked_tags
from explorer.store.whole import Input, Point, WholeRun, travelling
from explorer.tracking.entries import Summary
from explorer.tracking.lease import Lease, RunGone
from explorer.tracking.run_writer import RunWriter

__all__ = ["Intake"]

BATCH, TEXTS = 1000, 100
"""Most points, and most parameters or tags, in one request to MLflow."""
LONGEST_BATCH = 400_000
"""Characters of the parameters or tags of one request; a server takes a million in all."""


class _Known(NamedTuple):
    """A run that is there: what it is of, and how far that has come."""

    run_id: str
    digest: str
    state: str


class Intake:
    """One sweep of a store that takes runs in, held by a lease of its own while it does.

    Args:
        origin: where the runs come from; a sweep of that name that came from elsewhere, or was trained here, is
            refused.
        lease: the right to write the sweep.
    """

    def __init__(self, uri: str, experiment: str, sweep: str, origin: str, lease: Lease) -> None:
        self._store = Connection(uri)
        self._lease = lease
        self._sweep, self._origin = sweep, origin
        self._experiment = self._store.experiment(experiment)
        self._parent = ""
        self._place = ""
        self._begun: str | None = None
        self._took = False
        self._known: dict[str, _Known] = {}

    def open(self, parent: WholeRun) -> None:
        """The sweep's run, found or made and held, and what its trials are."""
        parent = replace(parent, tags=travelling(parent.tags))
        while True:
            found = self._parents()
            if found and load_json(found[0].tags.get(schema.IMPORTED)) != {"origin": self._origin}:
                raise UserError(
                    f"sweep '{brief(self._sweep)}' is in the store already and did not come from here; give what is "
                    "imported another name with --name"
                )
            if not found:
                mark = json.dumps({"origin": self._origin})
                tags = {**parent.tags, schema.KIND: "sweep", schema.IMPORTED: mark}
                self._create(parent, self._sweep, tags, self._parents)
                continue
            try:
                self._lease.take(found[0].run_id)
            except RunGone:
                continue
            self._parent, self._place = found[0].run_id, found[0].artifact_uri
            for twin in found[1:]:  # of somebody who began at the same moment, and has no trials yet
                self._write(lambda twin=twin: self._store.client.delete_run(twin.run_id))
            for run in self._store.search([self._experiment], {schema.PARENT: self._parent}):
                if trial := run.tags.get(schema.TRIAL):
                    self._known[trial] = _known(run)
            self._tag(self._parent, _lacking(self._own(parent.tags, self._parent), found[0].tags))
            missing = {key: value for key, value in parent.params.items() if key not in found[0].params}
            self._fill(self._parent, missing, _told(parent))
            return

    def __len__(self) -> int:
        """Trials that the sweep has."""
        return len(self._known)

    def __contains__(self, trial: str) -> bool:
        return trial in self._known

    def has(self, trial: str, digest: str) -> bool:
        """Whether a trial is there with this content, all of it."""
        known = self._known.get(trial)
        return known is not None and (known.digest, known.state) == (digest, "whole")

    def contradicts(self, trial: str, params: Mapping[str, str]) -> bool:
        """Whether a trial that is there has another value of one of these parameters, which no store changes."""
        known = self._known.get(trial)
        there = {} if known is None else self._store.run(known.run_id).params
        return any(there.get(key, value) != value for key, value in params.items())

    def take(self, trial: str, run: WholeRun, digest: str, files: Path | None = None) -> None:
        """A trial, whole: its tags, parameters, points, and the files of a folder; then how it ended."""
        with telling(lambda error: f"trial {brief(trial)} cannot be written ({root_cause(error, 150)})"):
            known = self._known.get(trial)
            # Whatever it says that it is, and whose.
            run = replace(run, tags={**travelling(run.tags), schema.KIND: "trial", schema.TRIAL: trial})
            if known is None:
                tags = {
                    **run.tags,
                    schema.PARENT: self._parent,
                    schema.IMPORTED: _mark(digest, "begun"),
                }
                made = self._create(run, run.name or trial, tags, lambda: self._same(trial))
                known, points, params = _known(made), _told(run), dict(run.params)
                late = self._own(run.tags, made.run_id)
            else:
                stored = self._store.run(known.run_id)
                is_other = known.state == "again" or known.digest != digest
                state = "again" if is_other else "begun"
                tags, late = unpacked_tags(run.tags, known.run_id, self._store.uri), {}
                self._tag(known.run_id, {**tags, schema.IMPORTED: _mark(digest, state)})
                points = [*_told(run), *(_renewing(stored, run) if is_other else ())]
                params = {key: value for key, value in run.params.items() if key not in stored.params}
            self._known[trial] = known
            self._begun, self._took = known.run_id, True
            self._fill(known.run_id, params, points)
            self._use(known.run_id, run.inputs)
            if files is not None and any(files.iterdir()):
                self._send(self._store.run(known.run_id).artifact_uri, files)
            self._end(known.run_id, run)
            # At last: before it, all is done again.
            self._tag(known.run_id, {**late, schema.IMPORTED: _mark(digest, "whole")})
            self._known[trial] = _Known(known.run_id, digest, "whole")
            self._begun = None

    def papers(self, files: Path) -> None:
        """Files of the sweep's own run."""
        if any(files.iterdir()):
            self._send(self._place, files)

    def note(self, tags: Mapping[str, str]) -> None:
        """Tags of the sweep's own run."""
        self._tag(self._parent, tags)

    def tag(self, key: str) -> str | None:
        """A tag of the sweep's own run."""
        return self._store.run(self._parent).tags.get(key)

    def summarise(self, summary: Summary) -> None:
        """What the sweep's own run says of the trials that are there; what it says already is not said again."""
        parent = remember(self._store.run(self._parent))
        RunWriter(self._store, self._write).summarise(self._sweep, parent, summary)

    def announce(self) -> None:
        """Say that trials came. Imported runs keep their times, by which nobody sees it: who knows the sweep reads it
        again."""
        news = {schema.REVISION: secrets.token_hex(8)} if self._took else {}
        self._tag(self._parent, {schema.TRIALS: str(len(self._known)), **news})
        self._took = False

    def close(self, parent: WholeRun) -> None:
        """The sweep is as it was where it came from, or as far as it came: nothing of it runs."""
        if not self._parent:
            return
        if self._begun is not None:
            self._end(self._begun, WholeRun("", "killed", 0))
        self.announce()
        self._end(self._parent, parent)

    def _parents(self) -> list[StoredRun]:
        """Runs of the sweep, the oldest first; its name is compared here, since MLflow's filters escape no quotes."""
        runs = self._store.search([self._experiment], {schema.KIND: "sweep"})
        same = [run for run in runs if run.tags.get(schema.SWEEP) == self._sweep]
        return sorted(same, key=lambda run: (run.started, run.run_id))

    def _same(self, trial: str) -> list[StoredRun]:
        runs = self._store.search([self._experiment], {schema.PARENT: self._parent})
        return [run for run in runs if run.tags.get(schema.TRIAL) == trial]

    def _create(self, run: WholeRun, name: str, tags: Mapping[str, str], done: Any) -> StoredRun:
        """A new run, its tags set in the same request, but for those that tell its id."""
        client = self._store.client
        late = {"mlflow.runName", *self._own(tags, "")}
        told = {key: value for key, value in tags.items() if key not in late}
        told[schema.SWEEP] = self._sweep

        def make() -> str:
            made = client.create_run(self._experiment, run.started or None, tags=told, run_name=name)
            return str(made.info.run_id)

        def found() -> str | None:
            same: Sequence[StoredRun] = done()
            return same[0].run_id if same else None

        return self._store.run(self._write(make, found))

    def _own(self, tags: Mapping[str, str], run_id: str) -> dict[str, str]:
        """The tags that name the run or its store, as they are here."""
        own = unpacked_tags(tags, run_id, self._store.uri)
        return {key: value for key, value in own.items() if value != tags[key]}

    def _fill(self, run_id: str, params: Mapping[str, str], points: Sequence[tuple[str, Point]]) -> None:
        from mlflow.entities import Metric, Param

        client = self._store.client
        for texts in _batches(params):
            batch = [Param(key, value) for key, value in texts]
            self._write(lambda batch=batch: client.log_batch(run_id, params=batch))
        for start in range(0, len(points), BATCH):
            part = [
                Metric(key, point.value, point.time, point.step)
                for key, point in points[start : start + BATCH]
            ]
            self._write(lambda part=part: client.log_batch(run_id, metrics=part))

    def _use(self, run_id: str, inputs: Sequence[Input]) -> None:
        """What is there already MLflow passes over."""
        from mlflow.entities import Dataset, DatasetInput, InputTag

        used = [
            DatasetInput(
                Dataset(one.name, one.digest, one.kind, one.source, one.schema or None, one.profile or None),
                [InputTag(key, value) for key, value in one.tags.items()],
            )
            for one in inputs
        ]
        if used:
            self._write(lambda: self._store.client.log_inputs(run_id, used))

    def _tag(self, run_id: str, tags: Mapping[str, str]) -> None:
        from mlflow.entities import RunTag

        client = self._store.client
        for texts in _batches(tags):
            batch = [RunTag(key, value) for key, value in texts]
            self._write(lambda batch=batch: client.log_batch(run_id, tags=batch))

    def _send(self, place: str, files: Path) -> None:
        self._write(lambda: self._store.artifacts(place).log_artifacts(str(files)))  # type: ignore[no-untyped-call]

    def _end(self, run_id: str, run: WholeRun) -> None:
        over = run.over
        ended = over.ended or time.time_ns() // 1_000_000
        self._write(lambda: self._store.client.set_terminated(run_id, over.status.upper(), ended))

    def _write(self, work: Any, done: Any = None) -> Any:
        """As ``Connection.call``; refused once the sweep is another's."""

        def checked() -> Any:
            self._lease.check()
            return work()

        return self._store.call(checked, done)


def _mark(digest: str, state: str) -> str:
    return json.dumps({"digest": digest, "state": state})


def _known(run: StoredRun) -> _Known:
    told = load_json(run.tags.get(schema.IMPORTED))
    told = told if isinstance(told, dict) else {}
    return _Known(run.run_id, str(told.get("digest", "")), str(told.get("state", "")))


def _lacking(tags: Mapping[str, str], there: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in tags.items() if key not in there}


def _told(run: WholeRun) -> list[tuple[str, Point]]:
    return [(key, point) for key, points in run.histories.items() for point in points]


def _renewing(stored: StoredRun, run: WholeRun) -> Iterator[tuple[str, Point]]:
    """What a run of other content must be told, so that of every metric the new value is the last: of one step the
    newest counts, and what is measured no more is NaN."""
    now = time.time_ns() // 1_000_000
    last = stored.last_step or 0
    for key, points in run.histories.items():
        end = max(points, key=lambda point: (point.step, point.time), default=None)
        before = stored.metrics.get(key)
        if end is None or before is None or end.step > last or _equal(before, end.value):
            continue
        yield key, Point(last, now, end.value)
    for key in set(stored.metrics) - set(run.histories):
        if not math.isnan(stored.metrics[key]):
            yield key, Point(last, now, math.nan)


def _equal(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))


def _batches(texts: Mapping[str, str]) -> Iterator[list[tuple[str, str]]]:
    """At most so many texts, and so many characters, at once."""
    part: list[tuple[str, str]] = []
    size = 0
    for key, value in texts.items():
        if part and (len(part) >= TEXTS or size + len(value) > LONGEST_BATCH):
            yield part
            part, size = [], 0
        part.append((key, value))
        size += len(value)
    if part:
        yield part
