"""The only writer of MLflow: one parent run per sweep, one child run per trial, for ever."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from explorer.errors import UserError, root_cause
from explorer.store import schema
from explorer.store.addresses import sqlite_file
from explorer.store.connection import PATIENCE_S, Connection
from explorer.store.runs import Remembered
from explorer.store.schema import Scalar
from explorer.tracking.entries import (
    Entry,
    Fail,
    Files,
    Finish,
    Log,
    Note,
    Start,
    Summary,
    TrialRun,
    What,
    now,
)
from explorer.tracking.lease import Lease, LeaseLost
from explorer.tracking.run_writer import Content, RunWriter
from explorer.tracking.stamps import Stamps
from explorer.tracking.sweep_runs import SweepRuns

__all__ = ["Tracker"]

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
        self._counted = 0
        self._stamps = Stamps()
        self._runs = RunWriter(self._store, self._write)

    def wait_no_longer_than(self, patience: float) -> None:
        """From here on a call that meets an unreachable store raises after so many seconds."""
        self._store.patience = patience

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
        self._found = SweepRuns(self._store, self._write, self._experiment, name, self._stamps)
        parent = self._found.parent(tags, self._lease)
        self._runs.tag(parent, tags)
        self._parent = parent
        self._runs.reopen(parent)
        try:
            self._runs.upload(parent, {schema.SWEEP_FILE: document, schema.CATALOGUE_FILE: catalogue}, {})
        except LeaseLost:
            raise
        except Exception as error:
            raise UserError(
                f"artifacts must be stored with the runs, and their place does not take them ({root_cause(error)}); "
                "mend that, then run the same command again"
            ) from error
        self._children = self._found.children(parent.run_id)
        self._counted = len(self._children)

    def start(
        self, trials: Sequence[TrialRun | tuple[str, Mapping[str, Scalar]]], only_read: Set[str] = frozenset()
    ) -> None:
        """Give every trial its one run in state RUNNING: the one it has, or a new one.

        A finished trial that is ``only_read`` again stays finished meanwhile, whatever becomes of the reading.
        """
        for run in (TrialRun(*trial) for trial in trials):
            begun = Start(run.params, run.name, run.tags, run.data, run.trial in only_read)
            self._do(run.trial, begun)
        self.count()

    def log(
        self,
        trial: str,
        step: int,
        metrics: Mapping[str, float],
        marks: Mapping[schema.At, str] | None = None,
        alphas: str | None = None,
    ) -> None:
        """Store one evaluation in one request, with the marks of its readings and its α_λ if it is a final one."""
        self._do(trial, Log(step, metrics, marks, alphas))

    def note(self, trial: str, tags: Mapping[str, str]) -> None:
        """Tags that the trial's run is to have."""
        self._do(trial, Note(tags))

    def artifacts(self, trial: str, files: Mapping[str, bytes | str]) -> None:
        """Store files of a trial under relative names, replacing those of the same name."""
        self._runs.keep(self._child(trial), files)

    def finish(self, trial: str, stopped: str | None = None) -> None:
        """The trial ended well, or was ``stopped`` early: by whom and why."""
        self._do(trial, Finish(stopped))

    def fail(self, trial: str, reason: str, kind: str = "raised") -> None:
        """The trial ended badly; the reason's last lines are kept with it, and of which kind it is."""
        self._do(trial, Fail(reason, kind))

    def _do(self, trial: str, what: What) -> None:
        self.apply(trial, [self.stamped(Entry(trial, now(), what))])

    def stamped(self, entry: Entry) -> Entry:
        """The piece with the time that the store is to have: its run begins, or ends, later than all others did.

        What is told twice ended once.
        """
        child = self._children.get(entry.trial)
        begins = isinstance(entry.what, Start) and child is None
        ends = isinstance(entry.what, Finish | Fail) and (child is None or child.ended != entry.at)
        return replace(entry, at=self._stamps.at(entry.at)) if begins or ends else entry

    def upload(self, trial: str, entries: Sequence[Entry], content: Callable[[str], Path]) -> None:
        """Store the files of a trial, in their order; which it has is told by what is applied next.

        ``content`` gives the file in which the content of a digest is kept.
        """
        for one in entries:
            if isinstance(one.what, Files):
                kept: dict[str, Content] = {name: content(digest) for name, digest in one.what.files.items()}
                self._runs.upload(self._child(trial), kept, one.what.files)

    def apply(self, trial: str, entries: Sequence[Entry]) -> None:
        """Store pieces of one trial, in their order; evaluations and tags that follow each other in one request."""
        told: list[tuple[int, Log]] = []
        for one in entries:
            match one.what:
                case Log() as what:
                    told.append((one.at, what))
                case Note() as what:
                    self._runs.note(self._child(trial), what)
                case what:
                    self._tell(trial, told)
                    self._turn(trial, one.at, what)
        self._tell(trial, told)

    def _tell(self, trial: str, told: list[tuple[int, Log]]) -> None:
        """Store evaluations, and the tags that came with them."""
        if told or trial in self._children:
            self._runs.log(trial, self._child(trial), told)
        told.clear()

    def _turn(self, trial: str, at: int, what: What) -> None:
        """Its run begins or ends."""
        match what:
            case Start():
                child = self._children.get(trial)
                if child is None:
                    parent = self._opened().run_id
                    child = self._found.make_child(parent, trial, at, what.name)
                    self._children[trial] = child
                self._runs.start(child, what)
            case Finish():
                self._finish(self._child(trial), what.stopped, at)
            case Fail():
                self._fail(self._child(trial), what, at)

    def _finish(self, child: Remembered, stopped: str | None, at: int) -> None:
        self._runs.forget_notes(child)
        if stopped is not None:
            self._runs.tag(child, {schema.STOPPED: stopped})
            child.noted.add(schema.STOPPED)
        self._runs.end(child, "finished", at)

    def _fail(self, child: Remembered, failed: Fail, at: int) -> None:
        tags = {schema.REASON: failed.reason[-schema.TAG_LIMIT :], schema.OUTCOME: failed.kind}
        self._runs.tag(child, tags)
        child.noted |= set(tags)
        # Of one that was finished only a further reading failed; its end tells readers that there is news.
        self._runs.end(child, "finished" if child.status == "finished" else "failed", at)

    def is_server_up(self) -> bool:
        """Whether the store is a server that answers a plain question, whatever it made of another."""
        return self._store.is_server and self._store.answers(self._opened().run_id)

    def is_server_away(self) -> bool:
        """Whether the store is a server that answers nothing."""
        return self._store.is_server and not self._store.answers(self._opened().run_id)

    def is_file(self) -> bool:
        """Whether the store is a file of this machine, beside which its artifacts lie."""
        return sqlite_file(self._store.uri) is not None

    def is_known(self) -> bool:
        """Whether the store, asked once, knows the sweep, and us: another one in its place does not, nor does a server
        that asks for credentials which it took before. A sweep that was deleted meanwhile is refused."""
        stage = self._store.stage(self._opened().run_id)
        if stage == "deleted":
            raise UserError(
                f"the run of sweep '{self._sweep}' must stay while the sweep runs, and was deleted in MLflow; bring it "
                f"back with `mlflow runs restore --run-id {self._opened().run_id}`, then run the same command again"
            )
        return stage is not None

    @property
    def uri(self) -> str:
        """Where it writes."""
        return self._store.uri

    def knows(self, trial: str) -> bool:
        """Whether the trial has a run."""
        return trial in self._children

    def is_past(self, trial: str, at: int) -> bool:
        """Whether the trial's run was ended after this moment: what was to be told then is not news any more."""
        child = self._children.get(trial)
        return child is not None and child.status != "running" and child.ended > at

    def count(self) -> None:
        """Say on the sweep's run how many trials it has, if that has changed."""
        if len(self._children) != self._counted:
            self._runs.tag(self._opened(), {schema.TRIALS: str(len(self._children))})
            self._counted = len(self._children)

    def summarise(self, summary: Summary) -> None:
        """What the sweep's own run says of the whole; what it says already is not said again."""
        self._runs.summarise(self._sweep, self._opened(), summary)

    def call(self, names: Mapping[str, str]) -> None:
        """Runs of trials have these names, but for those that somebody else named. One request for each that has not.

        What varies in a sweep changes as it grows, and with it what tells one trial from the others.
        """
        for trial, name in names.items():
            if trial in self._children:
                with _spared(self._children[trial]):
                    self._runs.call(self._children[trial], name)

    def rename(self, renamed: Mapping[str, str], marks: Mapping[str, Mapping[schema.At, str]]) -> None:
        """Give runs of layout 1 the identities they have today (new → old), and the marks of their readings."""
        for new, before in renamed.items():
            child = self._children.pop(before, None)
            if child is None:
                continue
            tags = {
                schema.TRIAL: new,
                schema.LAYOUT: schema.LAYOUT_NOW,
                schema.READINGS: schema.encode_readings(marks.get(new, {})),
            }
            self._runs.tag(child, tags)
            child.marks = dict(marks.get(new, {}))
            self._children[new] = child

    def conclude(
        self, names: Mapping[str, str], summary: Callable[[], Summary | None], interrupted: bool
    ) -> None:
        """The names that runs have by now, what the sweep's own run says of the whole, and its end."""
        from mlflow.exceptions import MlflowException

        try:
            self.call(names)
            found = summary()
            if found is not None:
                self.summarise(found)
            self.close_sweep(interrupted)
        except MlflowException as error:
            raise UserError(
                f"the end of the sweep must be stored, and the tracking store refuses it ({root_cause(error)}); mend "
                "that, then run the same command again"
            ) from error

    def close_sweep(self, interrupted: bool) -> None:
        """End the sweep; no trial of it stays RUNNING, but for those that somebody deleted."""
        self._found.tidy(self._opened().run_id)
        for child in self._children.values():
            if child.status == "running":
                with _spared(child):
                    self._runs.end(child, "killed", self._stamps.at(now()))
        self._runs.end(self._opened(), "killed" if interrupted else "finished", now())

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


@contextmanager
def _spared(run: Remembered) -> Iterator[None]:
    """What a store refuses of one run, which somebody may have deleted, costs the others nothing."""
    from mlflow.exceptions import MlflowException

    try:
        yield
    except MlflowException as error:
        log.debug("run %s: %s", run.run_id, error)
