"""From Ray Tune's events to the ledger, the recorder and the progress display."""

from __future__ import annotations

import pickle
from typing import Any

from ray.tune import Callback

from explorer.launch.ledger import Ledger, Settled
from explorer.launch.packing import Pack
from explorer.launch.progress import Progress
from explorer.launch.recorder import Recorder

__all__ = ["Bridge"]


class Bridge(Callback):
    """Tune's trials are our packs; here their results become results of trials."""

    def __init__(self, ledger: Ledger, recorder: Recorder, progress: Progress) -> None:
        self._ledger = ledger
        self._recorder = recorder
        self._progress = progress
        self._packs: dict[str, Pack] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Tune pickles its parts for ``Tuner.restore``, on which resume does not rest: there is nothing to keep."""
        return {}

    def on_trial_start(self, iteration: int, trials: list[Any], trial: Any, **info: Any) -> None:
        """A pack begins, or begins again after a failure."""
        self._meet(trial)

    def _meet(self, trial: Any) -> Pack:
        """The pack behind a Tune trial, its runs opened at the first meeting."""
        if trial.trial_id not in self._packs:
            pack = Pack.from_json(trial.config["pack"])
            self._packs[trial.trial_id] = pack
            self._recorder.start([(t.id, t.config.params()) for t in pack.trials])
            self._progress.started(trial.trial_id, pack)
        return self._packs[trial.trial_id]

    def on_trial_result(
        self, iteration: int, trials: list[Any], trial: Any, result: dict[str, Any], **info: Any
    ) -> None:
        """A stride, and perhaps an evaluation of every trial in the pack."""
        self._progress.advanced(trial.trial_id, int(result["iteration"]))
        payload = result.pop("payload", None)
        if payload is None:
            return
        for name, evaluation in pickle.loads(payload).items():
            if name in self._ledger.settled:
                continue  # diverged before; its neighbours go on
            self._recorder.record(name, evaluation)
            if evaluation.diverged:
                self._ledger.settle(name, Settled({}, evaluation.diverged))
            elif evaluation.final:
                self._ledger.settle(name, Settled(evaluation.metrics))
            self._progress.evaluated(name, evaluation)

    def on_trial_error(self, iteration: int, trials: list[Any], trial: Any, **info: Any) -> None:
        """A pack is given up after its retries."""
        reason = _reason(trial)
        for planned in self._meet(trial).trials:  # one whose process never came up was never started
            if planned.id not in self._ledger.settled:
                self._recorder.fail(planned.id, reason)
                self._ledger.settle(planned.id, Settled({}, reason))
        self._progress.failed(trial.trial_id, reason)


def _reason(trial: Any) -> str:
    error = trial.get_pickled_error() or trial.get_error()
    if error is None:
        return "its pack died without a word; see Ray's logs"
    cause = getattr(error, "cause", None) or error
    lines = [line for line in str(cause).strip().splitlines() if line.strip()]
    return f"{type(cause).__name__}: {lines[-1] if lines else ''}"[:500]
