"""From Ray Tune's events to the inbox."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from ray.tune import Callback

from explorer.launch.faults import death_of
from explorer.launch.inbox import Inbox
from explorer.launch.packing import Pack

__all__ = ["Bridge"]


class Bridge(Callback):
    """Tune's trials are our packs."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox

    def __getstate__(self) -> dict[str, Any]:
        """Tune pickles its parts for ``Tuner.restore``, on which resume does not rest: there is nothing to keep."""
        return {}

    def on_trial_start(self, iteration: int, trials: list[Any], trial: Any, **info: Any) -> None:
        """A pack begins, or begins again after a failure."""
        self._meet(trial)

    def _meet(self, trial: Any) -> None:
        """Begin the pack behind a Tune trial at the first meeting."""
        if not self._inbox.knows(trial.trial_id):
            self._inbox.begin(trial.trial_id, Pack.from_json(trial.config["pack"])[0])

    def on_trial_result(
        self, iteration: int, trials: list[Any], trial: Any, result: dict[str, Any], **info: Any
    ) -> None:
        """A stride, and perhaps an evaluation of every trial in the pack."""
        self._inbox.take(trial.trial_id, result)

    def on_trial_error(self, iteration: int, trials: list[Any], trial: Any, **info: Any) -> None:
        """A pack is given up after its retries; one whose process never came up was never begun."""
        self._meet(trial)
        self._inbox.give_up(trial.trial_id, death_of(_error(trial)))


def _error(trial: Any) -> BaseException | None:
    """What a pack died of: Tune leaves it in a file beside the driver, not in the storage where it looks itself."""
    try:
        error = pickle.loads(Path(trial.pickled_error_file).read_bytes())
    except (TypeError, OSError, pickle.UnpicklingError, AttributeError, ImportError, EOFError):
        return None
    return error if isinstance(error, BaseException) else None
