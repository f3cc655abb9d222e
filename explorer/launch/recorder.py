"""Writes to the tracking store from a thread of its own, so that training never waits for a database."""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import asdict
from typing import Any

import numpy as np

from explorer.errors import UserError
from explorer.launch.clock import Clock
from explorer.launch.extra_files import extra_files
from explorer.launch.image_sheet import ImagePanel, image_sheet
from explorer.launch.kept_files import kept_files
from explorer.launch.picture import sample_picture
from explorer.store.connection import TrackingUnavailable
from explorer.store.schema import (
    CURVE_FILE,
    PICTURE_FILE,
    PLAIN,
    SAMPLES_FILE,
    At,
    Scalar,
    encode_alphas,
    metric_key,
)
from explorer.store.stop import Stop
from explorer.tracking import Tracker
from trainables.evaluation.reading import Evaluation, Reading

__all__ = ["Recorder", "files_of", "metrics_of"]


Models = Callable[[str, Evaluation], tuple[Mapping[str, bytes], Sequence[str]]]

OUTAGE = 1800.0
"""Seconds that a store may be away while a sweep runs."""
LAST_WAIT = 60.0
"""The same once the sweep was interrupted, and somebody waits."""


class Recorder:
    """Turns evaluations into runs. A fault in the thread is raised at the next call.

    While the store is away training goes on, and what it tells waits here.
    """

    def __init__(
        self,
        tracker: Tracker,
        marks: Callable[[str], Mapping[At, str]],
        tell: Callable[[str], None] = lambda sentence: None,
        outage: float = OUTAGE,
        models: Models = lambda trial, evaluation: ({}, []),
    ) -> None:
        """``marks``: the readings that a trial's final evaluation has, each with the mark of what it depends on.

        ``tell`` hears when the store is away and when it is back, and of artifacts that could not be made; after
        ``outage`` seconds without the store the sweep ends. ``models``: files of a trial's model, if it gets one, and
        sentences on what was left out.
        """
        self._tracker = tracker
        self._marks = marks
        self.clock = Clock()
        self._tell = tell
        self._outage = outage
        self._models = models
        self._jobs: queue.Queue[Callable[[], None] | None] = queue.Queue()
        self._fault: Exception | None = None
        self._thread = threading.Thread(target=self._work, name="tracking", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            if self._fault is None:
                try:
                    with self.clock.on("logging"):
                        self._do(job)
                except Exception as error:
                    self._fault = error

    def _do(self, job: Callable[[], None]) -> None:
        """A job, which may be repeated, until the store has taken it."""
        since: float | None = None
        while True:
            began = time.monotonic()
            try:
                job()
            except TrackingUnavailable as error:
                if since is None:
                    since = began
                    self._tell(
                        f"{error}; training goes on, and what it finds waits" if error.away else str(error)
                    )
                if not error.away or time.monotonic() - since > self._outage:
                    raise
                continue
            if since is not None:
                self._tell("the tracking store answers again")
            return

    def _submit(self, job: Callable[[], None]) -> None:
        self._raise_fault()
        self._jobs.put(job)

    def _raise_fault(self) -> None:
        if isinstance(self._fault, OSError):
            raise UserError(f"the tracking store cannot be written ({self._fault}); fix that and run again")
        if self._fault is not None:
            raise self._fault

    def start(
        self, trials: Sequence[tuple[str, Mapping[str, Scalar]]], only_read: Set[str] = frozenset()
    ) -> None:
        """Open the runs of a pack; those that are only read again stay finished."""
        self._submit(lambda: self._tracker.start(trials, only_read))

    def record(self, trial: str, evaluation: Evaluation, stop: Stop | None = None) -> None:
        """Metrics of an evaluation; with the final one, artifacts, and the run is closed."""
        self._submit(lambda: self._record(trial, evaluation, stop))

    def _record(self, trial: str, evaluation: Evaluation, stop: Stop | None) -> None:
        if evaluation.fault is not None:
            self._tracker.fail(trial, evaluation.fault.reason, evaluation.fault.kind)
            return
        marks = self._marks(trial) if evaluation.final else None
        alphas = encode_alphas(evaluation.curve) if evaluation.final else None
        self._tracker.log(trial, evaluation.iteration, metrics_of(evaluation), marks, alphas)
        if evaluation.final:
            more, left_out = extra_files(evaluation)
            model, unmade = self._models(trial, evaluation)
            kept = kept_files(evaluation, marks or {})
            self._tracker.artifacts(trial, {**files_of(evaluation), **more, **kept, **model})
            self._tracker.finish(trial, None if stop is None else stop.text())
            for sentence in (*left_out, *unmade):  # at the end: what the store did not take is done again
                self._tell(f"trial {trial}: {sentence}")

    def fail(self, trial: str, reason: str, kind: str) -> None:
        """A trial whose pack died."""
        self._submit(lambda: self._tracker.fail(trial, reason, kind))

    def close(self, interrupted: bool) -> None:
        """Write what is queued, then close the sweep's run; raises the thread's fault."""
        if interrupted:
            self._outage = min(self._outage, LAST_WAIT)
        self._jobs.put(None)
        self._thread.join()
        self._raise_fault()
        self._tracker.close_sweep(interrupted)


def metrics_of(evaluation: Evaluation) -> dict[str, float]:
    """Every number of an evaluation under its key: plain ones and diagnostics, then each refinement's and its cost."""
    found = dict(evaluation.diagnostics)
    for reading in evaluation.readings:
        at = At(reading.method, reading.budget)
        cost = {} if reading.cost is None else asdict(reading.cost)
        found |= {metric_key(at, name): value for name, value in {**reading.metrics, **cost}.items()}
    return found


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


def _points(reading: Reading) -> dict[str, Any]:
    """A reading in numbers: what it kept, and what it refused, where that is known."""
    found = {"method": reading.method, "budget": reading.budget, "points": _rounded(reading.samples)}
    known = reading.rejected is not None and reading.key != PLAIN
    return {**found, "refused": _rounded(reading.rejected)} if known else found


def _rounded(points: Any) -> Any:
    return np.round(np.asarray(points, dtype=np.float64), 4).tolist()
