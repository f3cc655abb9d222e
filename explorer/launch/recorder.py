"""Keeps what trials tell in a spool, from where it goes to the store: training never waits for a database."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import asdict
from typing import Any

import numpy as np

from explorer.errors import UserError, root_cause
from explorer.launch.extra_files import extra_files
from explorer.launch.image_sheet import ImagePanel, image_sheet
from explorer.launch.kept_files import kept_files
from explorer.launch.picture import sample_picture
from explorer.models import DESCRIPTION, logged
from explorer.store.schema import (
    CURVE_FILE,
    LOGGED_MODELS,
    MODEL_FOLDER,
    PICTURE_FILE,
    PLAIN,
    SAMPLES_FILE,
    THIS_RUN,
    THUMB_FILE,
    At,
    Scalar,
    encode_alphas,
    metric_key,
)
from explorer.store.stop import Stop
from explorer.tracking import Drain, Spool, Summary, Tracker, TrialRun
from explorer.tracking.entries import Data, Entry, Fail, Finish, Log, Note, Start, now
from explorer.words import counted
from trainables.evaluation.reading import Evaluation, Reading

__all__ = ["Recorder", "files_of", "metrics_of"]


Models = Callable[[str, Evaluation], tuple[Mapping[str, bytes], Sequence[str]]]

LAST_WAIT = 60.0
"""Seconds that a store that is away is waited for at the end, once the sweep was interrupted and somebody waits."""


class Recorder:
    """Turns evaluations into entries of a spool, which a drain sends to the store; a fault is raised at the next call.

    Training waits for neither: pictures are drawn and entries written in one thread, requests made in another. While
    the store is away what is told waits in the spool, also for the next launch if this one is killed.
    """

    def __init__(
        self,
        tracker: Tracker,
        spool: Spool,
        marks: Callable[[str], Mapping[At, str]],
        tell: Callable[[str], None] = lambda sentence: None,
        patience: float = LAST_WAIT,
        summary: Callable[[], Summary | None] = lambda: None,
        models: Models = lambda trial, evaluation: ({}, []),
        prepare: Callable[[], None] = lambda: None,
        names: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        """``marks``: the readings that a trial's final evaluation has, each with the mark of what it depends on.

        ``tell`` hears when the store is away and when it is back, and of artifacts that could not be made;
        ``patience``: seconds that it is waited for at the end; ``summary``: what the sweep's own run says then;
        ``models``: files of a trial's model, if it gets one, and sentences on what was left out; ``prepare``: what can
        be done for that before any trial has ended; ``names``: what runs of trials are called by now.
        """
        self._tracker = tracker
        self._spool = spool
        self._marks = marks
        self._tell = tell
        self._patience = patience
        self._summary = summary
        self._models = models
        self._names = names
        self._prepare: Callable[[], None] | None = prepare
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._fault: Exception | None = None
        self._drain = Drain(tracker, spool, tell)
        self._drain.start()
        self._thread = threading.Thread(target=self._work, name="recording", daemon=True)
        self._thread.start()

    @property
    def spent(self) -> dict[str, float]:
        """Seconds of requests to the store."""
        return {"logging": round(self._drain.seconds, 1)}

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            if self._fault is None:
                try:
                    job()
                except Exception as error:
                    self._fault = error
                self._drain.wake()

    def _submit(self, job: Callable[[], None]) -> None:
        self._raise_fault()
        self._jobs.put(job)

    def _raise_fault(self) -> None:
        fault = self._fault or self._drain.fault
        if isinstance(fault, OSError):
            raise UserError(
                f"what trials tell cannot be kept ({root_cause(fault)}); make room there or set TRADEOFF_HOME to "
                "another place, then run the same command again"
            )
        if fault is not None:
            raise fault

    def start(
        self, trials: Sequence[TrialRun | tuple[str, Mapping[str, Scalar]]], only_read: Set[str] = frozenset()
    ) -> None:
        """Open the runs of a pack; those that are only read again stay finished."""
        at = now()
        runs = [TrialRun(*trial) for trial in trials]
        begun = [
            Entry(run.trial, at, Start(run.params, run.name, run.tags, run.data, run.trial in only_read))
            for run in runs
        ]
        files = [(run.trial, _contents(run.files)) for run in runs]
        self._submit(lambda: self._begin(begun, at, files))
        if self._prepare is not None:
            self._submit(self._prepare)
            self._prepare = None

    def _begin(
        self, begun: Sequence[Entry], at: int, files: Sequence[tuple[str, Mapping[str, bytes]]]
    ) -> None:
        self._spool.put(begun)
        for trial, some in files:
            if some:
                self._spool.put_files(trial, at, some)

    def note(self, trials: Sequence[str], tags: Mapping[str, str], data: Data | None = None) -> None:
        """Tags that the runs of some trials are to have, and on what these turned out to train."""
        at = now()
        notes = [Entry(trial, at, Note(tags, data)) for trial in trials]
        self._submit(lambda: self._spool.put(notes))

    def record(
        self,
        trial: str,
        evaluation: Evaluation,
        stop: Stop | None = None,
        pictured: Mapping[str, str] | None = None,
    ) -> None:
        """Metrics of an evaluation; with the final one, artifacts, and the run is closed.

        ``pictured``: tags that it has then, if there is a picture of its samples.
        """
        at = now()
        self._submit(lambda: self._record(trial, at, evaluation, stop, pictured or {}))

    def _record(
        self, trial: str, at: int, evaluation: Evaluation, stop: Stop | None, pictured: Mapping[str, str]
    ) -> None:
        if evaluation.fault is not None:
            self._spool.put([Entry(trial, at, Fail(evaluation.fault.reason, evaluation.fault.kind))])
            return
        marks = self._marks(trial) if evaluation.final else None
        alphas = encode_alphas(evaluation.curve) if evaluation.final else None
        told = Log(evaluation.iteration, metrics_of(evaluation), marks, alphas)
        self._spool.put([Entry(trial, at, told)])
        if evaluation.final:
            more, left_out = extra_files(evaluation)
            model, unmade = self._models(trial, evaluation)
            kept = kept_files(evaluation, marks or {})
            files = {**files_of(evaluation), **more, **kept, **model}
            self._spool.put_files(trial, at, _contents(files))
            tags = dict(pictured) if THUMB_FILE in files else {}
            if model:
                tags[LOGGED_MODELS] = logged(model[f"{MODEL_FOLDER}/{DESCRIPTION}"], MODEL_FOLDER, THIS_RUN)
            end = Finish(None if stop is None else stop.text())
            self._spool.put([Entry(trial, at, what) for what in (Note(tags), end)])
            for sentence in (*left_out, *unmade):
                self._tell(f"trial {trial}: {sentence}")

    def fail(self, trial: str, reason: str, kind: str) -> None:
        """A trial whose pack died."""
        entry = Entry(trial, now(), Fail(reason, kind))
        self._submit(lambda: self._spool.put([entry]))

    def close(self, interrupted: bool) -> None:
        """Send what waits, then close the sweep's run; raises what went wrong, and what the store refused."""
        self._jobs.put(None)
        self._thread.join()
        self._drain.finish(min(self._patience, LAST_WAIT) if interrupted else self._patience)
        self._raise_fault()
        unsent = self._drain.unsent()
        if unsent is not None:
            raise unsent
        refused = self._drain.refused
        try:
            self._tracker.conclude(self._names(), self._summary, interrupted)
        except UserError:
            if not refused:
                raise
        if refused:
            raise UserError(
                f"the tracking store refused what {counted(len(refused), 'trial')} told "
                f"({next(iter(refused.values()))}); mend that, then run the same command again, which reads them anew"
            )


def metrics_of(evaluation: Evaluation) -> dict[str, float]:
    """Every number of an evaluation under its key: plain ones, each refinement's and its cost, diagnostics.

    MLflow's page of a run lists them in the order in which they came to the store.
    """
    found: dict[str, float] = {}
    for reading in evaluation.readings:
        at = At(reading.method, reading.budget)
        cost = {} if reading.cost is None else asdict(reading.cost)
        found |= {metric_key(at, name): value for name, value in {**reading.metrics, **cost}.items()}
    return {**found, **{key: value for key, value in evaluation.diagnostics.items() if key not in found}}


def files_of(evaluation: Evaluation) -> dict[str, bytes | str]:
    """The artifacts of a trial, by name (docs/architecture.md); points that can be drawn are kept as numbers too."""
    files: dict[str, bytes | str] = {CURVE_FILE: json.dumps(evaluation.curve)}
    shown = [reading for reading in evaluation.readings if reading.samples is not None]
    if evaluation.real is None or not shown:
        return files
    picture = _picture(evaluation, evaluation.real, shown)
    if picture is not None:
        files[PICTURE_FILE] = picture
    if evaluation.real.ndim == 2 and evaluation.real.shape[1] <= 2:
        real = _rounded(evaluation.real)
        files[SAMPLES_FILE] = json.dumps({"real": real, "readings": [_points(r) for r in shown]})
    return files


def _picture(evaluation: Evaluation, real: np.ndarray, shown: Sequence[Reading]) -> bytes | None:
    """Points as a panel per reading; images as panels of real, generated, accepted and rejected ones."""
    several = len({r.method for r in shown} - {PLAIN.method}) > 1
    words = {reading.key: At(*reading.key).words(several) for reading in shown}
    if real.ndim != 4:
        return sample_picture(real, {words[r.key]: r.samples for r in shown if r.samples is not None})
    if real.shape[1] not in (1, 3):
        return None
    panels = [ImagePanel("Real", real, evaluation.real_classes)]
    for r in shown:
        if r.samples is not None and len(r.samples):
            kind = "Generated" if r.key == PLAIN else "Accepted"
            panels.append(ImagePanel(f"{kind}, {words[r.key]}", r.samples, r.classes))
    last = {
        r.method: r for r in shown if r.rejected is not None and len(r.rejected)
    }  # of each method the largest K
    panels += [
        ImagePanel(f"Rejected, {words[r.key]}", r.rejected) for r in last.values() if r.rejected is not None
    ]
    return image_sheet(panels)


def _contents(files: Mapping[str, bytes | str]) -> dict[str, bytes]:
    return {name: one.encode() if isinstance(one, str) else one for name, one in files.items()}


def _points(reading: Reading) -> dict[str, Any]:
    """A reading in numbers: what it kept, and what it refused, where that is known."""
    found = {"method": reading.method, "budget": reading.budget, "points": _rounded(reading.samples)}
    known = reading.rejected is not None and reading.key != PLAIN
    return {**found, "refused": _rounded(reading.rejected)} if known else found


def _rounded(points: Any) -> Any:
    return np.round(np.asarray(points, dtype=np.float64), 4).tolist()
