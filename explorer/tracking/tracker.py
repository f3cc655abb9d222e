"""The only writer of MLflow: one parent run per sweep, one child run per trial, for ever."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TypeVar

from explorer.store import schema
from explorer.store.connection import PATIENCE_S, Connection
from explorer.store.runs import Remembered, StoredRun, most_complete, remember, stored
from explorer.store.schema import Scalar, Status
from explorer.tracking.lease import Lease, RunGone

__all__ = ["Tracker"]

BATCH = 1000
"""Most metrics in one request to MLflow."""

log = logging.getLogger(__name__)

T = TypeVar("T")


class Tracker:
    """Writes one sweep to MLflow.

    Every call may be repeated after a crash at any point: runs are found again by tag, parameters and
    metrics of equal content are stored once, and evaluations already stored are skipped. One process at a
    time writes a sweep.

    Args:
        uri: ``sqlite:///FILE``, ``http(s)://HOST`` or another database address.
        experiment: name of the MLflow experiment, created if need be.
        patience: seconds after which an unreachable store raises ``TrackingUnavailable``.
        lease: the right to drive the sweep, taken when it is opened; once it is another's, nothing is written any more.
    """

    def __init__(
        self, uri: str, experiment: str, patience: float = PATIENCE_S, lease: Lease | None = None
    ) -> None:
        self._store = Connection(uri, patience)
        self._lease = lease
        self._experiment = self._store.experiment(experiment)
        self._sweep = ""
        self._parent: Remembered | None = None
        self._children: dict[str, Remembered] = {}

    def open_sweep(
        self,
        name: str,
        objectives: Mapping[str, str],
        description: str,
        document: str,
        catalogue: str,
    ) -> None:
        """Find the sweep's parent run or create it, mark it RUNNING, and learn which trials it has.

        ``document`` is the sweep file, ``catalogue`` says what its metrics are; both are kept with the run.
        """
        self._sweep = name
        tags = {schema.SWEEP: name, **schema.parent_tags(objectives, description)}
        if self._find_parent() is None:
            self._create(tags, name, self._find_parent)
        parent = self._hold_oldest()
        self._tag(parent, tags)
        self._parent = parent
        self._reopen(parent)
        self._upload(parent, {schema.SWEEP_FILE: document, schema.CATALOGUE_FILE: catalogue})
        self._children = self._load()

    def start(
        self, trials: Sequence[tuple[str, Mapping[str, Scalar]]], only_read: Set[str] = frozenset()
    ) -> None:
        """Give every trial its one run in state RUNNING: the one it has, or a new one.

        A finished trial that is ``only_read`` again stays finished meanwhile, whatever becomes of the reading.
        """
        before = len(self._children)
        for trial, params in trials:
            child = self._children.get(trial)
            if child is None:
                self._children[trial] = child = self._create_child(trial)
            elif trial not in only_read or child.status != "finished":
                self._reopen(child)
            self._write_params(child, params)
        if len(self._children) != before:
            self._tag(self._opened(), {schema.TRIALS: str(len(self._children))})

    def log(
        self,
        trial: str,
        step: int,
        metrics: Mapping[str, float],
        marks: Mapping[schema.At, str] | None = None,
        alphas: str | None = None,
    ) -> None:
        """Store one evaluation in one request, with the marks of its readings and its α_λ if it is a final one.

        A step not beyond the last one stored is skipped: a resumed trial repeats its last evaluation. A trial read
        again has new marks at its last step: then what changed is stored, and what was read in another way and is
        asked for no more is blanked. A value that is not finite is stored as NaN, so that no older value stands in for
        it, and is told once.
        """
        from mlflow.entities import Metric, RunTag

        child = self._child(trial)
        again = child.last_step is not None and step <= child.last_step
        if not metrics or (again and (marks is None or marks == child.marks)):
            return
        self._tell_spoilt(trial, child, step, metrics)
        told = {key: float(v) if math.isfinite(v) else math.nan for key, v in metrics.items()}
        if again:
            step = child.last_step or 0
            told = {key: v for key, v in told.items() if v != child.metrics.get(key)}
        kept, stale = child.merged(marks or {})
        told |= dict.fromkeys(stale - set(metrics), math.nan)
        now = _now()
        batch = [Metric(key, value, now, step) for key, value in told.items()]
        tags = [RunTag(schema.READINGS, schema.encode_readings(kept))] if marks is not None else []
        tags += [RunTag(schema.ALPHAS, alphas)] if alphas is not None else []
        for start in range(0, max(len(batch), 1), BATCH):
            # The marks go with the last part: a crash before it leaves a run that is read once more.
            part, last = batch[start : start + BATCH], start + BATCH >= len(batch)
            self._write(
                lambda part=part, last=last: self._store.client.log_batch(  # type: ignore[misc]
                    child.run_id, metrics=part, tags=tags if last else []
                )
            )
        child.last_step = step
        child.metrics |= told
        child.marks = kept if marks is not None else child.marks

    def artifacts(self, trial: str, files: Mapping[str, bytes | str]) -> None:
        """Store files of a trial under relative names such as ``model/MLmodel``, replacing those of the same name."""
        self._upload(self._child(trial), files)

    def finish(self, trial: str, stopped: str | None = None) -> None:
        """The trial ended well, or was ``stopped`` early: by whom and why."""
        child = self._child(trial)
        self._forget_notes(child)
        if stopped is not None:
            self._tag(child, {schema.STOPPED: stopped})
            child.noted.add(schema.STOPPED)
        self._end(child, "finished")

    def rename(self, renamed: Mapping[str, str], marks: Mapping[str, Mapping[schema.At, str]]) -> None:
        """Give runs of layout 1 the identities they have today (new → old), and the marks of their readings."""
        for now, before in renamed.items():
            child = self._children.pop(before, None)
            if child is None:
                continue
            tags = {
                schema.TRIAL: now,
                schema.LAYOUT: schema.LAYOUT_NOW,
                schema.READINGS: schema.encode_readings(marks.get(now, {})),
            }
            self._tag(child, tags)
            child.marks = dict(marks.get(now, {}))
            self._children[now] = child

    def fail(self, trial: str, reason: str, kind: str = "raised") -> None:
        """The trial ended badly; the reason's last lines are kept with it, and of which kind it is."""
        child = self._child(trial)
        tags = {schema.REASON: reason[-schema.TAG_LIMIT :], schema.OUTCOME: kind}
        self._tag(child, tags)
        child.noted |= set(tags)
        if child.status != "finished":  # it was, and only a further reading failed
            self._end(child, "failed")

    def close_sweep(self, interrupted: bool) -> None:
        """End the sweep; no trial of it stays RUNNING."""
        for child in self._children.values():
            if child.status == "running":
                self._end(child, "killed")
        self._end(self._opened(), "killed" if interrupted else "finished")

    def _hold_oldest(self) -> Remembered:
        """The sweep's run, ours to write from here on.

        Launches of a new sweep at the same time may each have created one, and one of a machine whose clock is late may
        come to be the oldest when another is held already: so it is looked again until it is the one that is held.
        """
        held = ""
        while True:
            parent = self._find_parent()
            assert parent is not None
            if self._lease is None or parent.run_id == held:
                return parent
            try:
                self._lease.take(parent.run_id)
            except RunGone:
                continue
            held = parent.run_id

    def _write(self, work: Callable[[], T], done: Callable[[], T | None] | None = None) -> T:
        """As ``Connection.call``; refused, also after a long wait for the store, once the sweep is another's."""

        def checked() -> T:
            if self._lease is not None:
                self._lease.check()
            return work()

        return self._store.call(checked, done)

    def _opened(self) -> Remembered:
        if self._parent is None:
            raise RuntimeError("open_sweep must come before any other call")
        return self._parent

    def _child(self, trial: str) -> Remembered:
        try:
            return self._children[trial]
        except KeyError:
            raise KeyError(f"trial {trial} has no run; start it first") from None

    def _find_parent(self) -> Remembered | None:
        """The sweep's oldest parent run; younger duplicates, which have no children yet, are deleted."""
        # The name is compared here, not in the filter: MLflow's filters know no escape for quotes.
        runs = self._store.search([self._experiment], {schema.KIND: "sweep"})
        same = sorted(
            (run for run in runs if run.tags.get(schema.SWEEP) == self._sweep),
            key=lambda run: (run.started, run.run_id),
        )
        for run in same[1:]:
            self._delete(run)
        return remember(same[0]) if same else None

    def _load(self, **also: str) -> dict[str, Remembered]:
        """Children by identity; of runs with one identity the most complete stays, others go to the trash."""
        runs: dict[str, list[StoredRun]] = {}
        for run in self._store.search([self._experiment], {schema.PARENT: self._opened().run_id, **also}):
            if schema.TRIAL in run.tags:
                runs.setdefault(run.tags[schema.TRIAL], []).append(run)
        children = {}
        for trial, same in runs.items():
            kept, *others = most_complete(same)
            for run in others:
                self._delete(run)
            children[trial] = remember(kept)
        return children

    def _create_child(self, trial: str) -> Remembered:
        parent = self._opened().run_id
        tags = {
            schema.KIND: "trial",
            schema.SWEEP: self._sweep,
            schema.TRIAL: trial,
            schema.PARENT: parent,
            schema.LAYOUT: schema.LAYOUT_NOW,
        }
        return self._create(tags, trial, lambda: self._load(**{schema.TRIAL: trial}).get(trial))

    def _create(
        self, tags: Mapping[str, str], name: str, done: Callable[[], Remembered | None]
    ) -> Remembered:
        """A new run, its tags set in the same request: no crash leaves a run without identity."""
        client = self._store.client
        return self._write(
            lambda: remember(stored(client.create_run(self._experiment, tags=dict(tags), run_name=name))),
            done,
        )

    def _delete(self, run: StoredRun) -> None:
        log.warning("run %s repeats another of sweep '%s'; moved to MLflow's trash", run.run_id, self._sweep)
        self._write(lambda: self._store.client.delete_run(run.run_id))

    def _write_params(self, child: Remembered, params: Mapping[str, Scalar]) -> None:
        """Store the parameters that the run lacks (all of them, unless a crash came in between)."""
        from mlflow.entities import Param

        missing = [Param(path, schema.encode(v)) for path, v in params.items() if path not in child.params]
        if missing:
            self._write(lambda: self._store.client.log_batch(child.run_id, params=missing))
            child.params |= set(params)

    def _reopen(self, child: Remembered) -> None:
        self._forget_notes(child)
        if child.status != "running":
            self._write(lambda: self._store.client.update_run(child.run_id, status="RUNNING"))
            child.status = "running"

    def _forget_notes(self, child: Remembered) -> None:
        for tag in sorted(child.noted):
            self._write(lambda tag=tag: self._forget(child.run_id, tag))  # type: ignore[misc]
        child.noted.clear()

    def _forget(self, run_id: str, tag: str) -> None:
        from mlflow.exceptions import MlflowException

        try:
            self._store.client.delete_tag(run_id, tag)
        except MlflowException as error:
            # Gone already: the answer to an earlier attempt was lost.
            if error.error_code != "RESOURCE_DOES_NOT_EXIST":
                raise

    def _end(self, child: Remembered, status: Status) -> None:
        ended = _now()
        self._write(lambda: self._store.client.set_terminated(child.run_id, status.upper(), ended))
        child.status = status

    def _tag(self, child: Remembered, tags: Mapping[str, str]) -> None:
        from mlflow.entities import RunTag

        batch = [RunTag(key, value) for key, value in tags.items()]
        self._write(lambda: self._store.client.log_batch(child.run_id, tags=batch))

    def _upload(self, child: Remembered, files: Mapping[str, bytes | str]) -> None:
        for name in files:
            if PurePosixPath(name).is_absolute() or {"", ".", ".."} & set(name.split("/")):
                raise ValueError(f"an artifact's name must be a relative path without dots, got '{name}'")
        self._write(lambda: self._send(child.artifact_uri, files))

    def _send(self, artifact_uri: str, files: Mapping[str, bytes | str]) -> None:
        with TemporaryDirectory() as folder:
            for name, content in files.items():
                data = content.encode() if isinstance(content, str) else content
                file = Path(folder) / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
            self._store.artifacts(artifact_uri).log_artifacts(folder)  # type: ignore[no-untyped-call]

    def _tell_spoilt(self, trial: str, child: Remembered, step: int, metrics: Mapping[str, float]) -> None:
        fresh = {key for key, value in metrics.items() if not math.isfinite(value)} - child.spoilt
        if fresh:
            child.spoilt |= fresh
            log.warning("trial %s, step %d: not finite: %s", trial, step, ", ".join(sorted(fresh)))


def _now() -> int:
    """Milliseconds since the epoch, MLflow's time."""
    return time.time_ns() // 1_000_000
