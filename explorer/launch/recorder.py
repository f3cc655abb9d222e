"""Writes to the tracking store from a thread of its own, so that training never waits for a database."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from explorer.errors import UserError
from explorer.launch.picture import sample_picture
from explorer.store.schema import metric_key
from explorer.tracking import Tracker
from trainables.training.evaluation import Evaluation

__all__ = ["Recorder"]

Scalar = str | int | float | bool | None


class Recorder:
    """Turns evaluations into runs. A fault in the thread is raised at the next call."""

    def __init__(self, tracker: Tracker) -> None:
        self._tracker = tracker
        self._jobs: queue.Queue[Callable[[], None] | None] = queue.Queue()
        self._fault: Exception | None = None
        self._thread = threading.Thread(target=self._work, name="tracking", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            if self._fault is None:
                try:
                    job()
                except Exception as error:
                    self._fault = error

    def _submit(self, job: Callable[[], None]) -> None:
        self._raise_fault()
        self._jobs.put(job)

    def _raise_fault(self) -> None:
        if isinstance(self._fault, OSError):
            raise UserError(f"the tracking store cannot be written ({self._fault}); mend that and run again")
        if self._fault is not None:
            raise self._fault

    def start(self, trials: Sequence[tuple[str, Mapping[str, Scalar]]]) -> None:
        """Open the runs of a pack."""
        self._submit(lambda: self._tracker.start(trials))

    def record(self, trial: str, evaluation: Evaluation) -> None:
        """Metrics of an evaluation; with the final one, artifacts, and the run is closed."""
        self._submit(lambda: self._record(trial, evaluation))

    def _record(self, trial: str, evaluation: Evaluation) -> None:
        if evaluation.diverged:
            self._tracker.fail(trial, evaluation.diverged)
            return
        metrics = dict(evaluation.metrics)
        for budget, measures in evaluation.budgets.items():
            metrics |= {metric_key(budget, name): value for name, value in measures.items()}
        self._tracker.log(trial, evaluation.iteration, metrics)
        if evaluation.final:
            self._tracker.artifacts(trial, _files(evaluation))
            self._tracker.finish(trial)

    def fail(self, trial: str, reason: str) -> None:
        """A trial whose pack died."""
        self._submit(lambda: self._tracker.fail(trial, reason))

    def close(self, interrupted: bool) -> None:
        """Write what is queued, then close the sweep's run; raises the thread's fault."""
        self._jobs.put(None)
        self._thread.join()
        self._raise_fault()
        self._tracker.close_sweep(interrupted)


def _files(evaluation: Evaluation) -> dict[str, bytes | str]:
    """The artifacts of a trial, by name (docs/architecture.md)."""
    return {
        "samples.json": json.dumps(_plain(evaluation.samples)),
        "curve.json": json.dumps(evaluation.curve),
        "samples.png": sample_picture(evaluation.samples),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return np.round(np.asarray(value, dtype=np.float64), 4).tolist()
