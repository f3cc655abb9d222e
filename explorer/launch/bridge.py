"""From Ray Tune's events to the inbox."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ray.tune import Callback

from explorer.launch.faults import death_of
from explorer.launch.inbox import Inbox
from explorer.launch.packing import Pack

__all__ = ["Bridge"]


class Bridge(Callback):
    """Tune's trials are our packs.

    Attributes:
        fault: the first error in here; Tune ends with it, but passes on its text alone.
    """

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self.fault: Exception | None = None

    @contextmanager
    def _heard(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self.fault = self.fault or error
            raise

    def __getstate__(self) -> dict[str, Any]:
        """Tune pickles its parts for ``Tuner.restore``, on which resume does not rest: there is nothing to keep."""
        return {}

    def on_trial_start(self, iteration: int, trials: list[Any], trial: Any, **info: Any) -> None:
        """A pack begins, or begins again after a failure."""
        with self._heard():
            self._meet(trial)

    def _meet(self, trial: Any) -> None:
        """Begin the pack behind a Tune trial at the first meeting."""
        if not self._inbox.knows(trial.trial_id):
            self._inbox.begin(trial.trial_id, Pack.from_json(trial.config["pack"])[0])

    def on_trial_result(
        self, iteration: int, trials: list[Any], trial: Any, result: dict[str, Any], **info: Any
    ) -> None:
        """A stride, and perhaps an evaluation of every trial in the pack."""
        with self._heard():
            self._inbox.take(trial.trial_id, result)

    def on_trial_recover(self, iteration: int, trials: list[Any], trial: Any, **info: Any) -> None:
        """The process of a pack died, and Tune starts another."""
        with self._heard():
            self._meet(trial)
            self._inbox.start_again(trial.trial_id, _death(trial))

    def on_trial_error(self, iteration: int, trials: list[Any], trial: Any, **info: Any) -> None:
        """A pack is given up after its retries; one whose process never came up was never begun."""
        with self._heard():
            self._meet(trial)
            self._inbox.give_up(trial.trial_id, _death(trial))


def _death(trial: Any) -> str:
    """What a pack died of. Tune leaves that in files beside the driver, not in the storage where it looks itself.

    Of every death there are words in one file, where the newest comes last; of some there is the exception too, in
    another, which stays there when the next death leaves none.
    """
    words = _read(trial.error_file).decode(errors="replace").rpartition("Failure # ")[2]
    try:
        error = pickle.loads(_read(trial.pickled_error_file))
    except (pickle.UnpicklingError, AttributeError, ImportError, EOFError):
        error = None
    if isinstance(error, BaseException) and (not words or str(error).strip() in words):
        return death_of(error)
    return death_of(None, words)


def _read(file: str | None) -> bytes:
    try:
        return b"" if file is None else Path(file).read_bytes()
    except OSError:
        return b""
