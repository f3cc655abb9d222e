"""Lanes as trials of Ray Tune: as many as there is work for and the cluster carries."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ray import tune
from ray.tune import Callback
from ray.tune.search import Searcher

from explorer.launch.engine.lane import Lane
from explorer.launch.engine.messages import Died, Put, Request, Stop
from explorer.launch.faults import Death, death_of
from explorer.sweep.resources import ResourceSpec

if TYPE_CHECKING:
    from explorer.launch.engine.room import _Speaker

__all__ = ["Tuning"]


class Tuning:
    """What Tune runs, and what it hears of the driver's requests; lanes for ``packs`` start before these come."""

    def __init__(self, resources: ResourceSpec, gpus: float, speak: _Speaker, packs: int = 0) -> None:
        self._resources = resources
        self._gpus = gpus
        self._speak = speak
        self._put = 0
        self._lanes = _Lanes(resources, gpus)
        self._signs = _Signs(speak)
        self._asked = threading.Event()
        if packs:
            self._expect(packs)

    def heard(self, request: Request) -> None:
        """What the driver asks for decides how many lanes there should be."""
        if isinstance(request, Put):
            self._put += 1
            self._expect(self._put)
        elif isinstance(request, Stop):
            self._lanes.over.set()
            self._asked.set()

    def _expect(self, packs: int) -> None:
        self._lanes.packs = max(self._lanes.packs, packs)
        self._lanes.wanted.set()
        self._asked.set()

    def run(self, scratch: str) -> None:
        """Until the driver has no more work; a lane that is lost is started again, however often: whoever counts how
        often a pack may be lost is the driver."""
        while not self._asked.wait(1.0):  # Tune itself would sleep for some seconds
            self._speak.sign()
        tuner = tune.Tuner(
            tune.with_resources(Lane, {"cpu": self._resources.cpus, "gpu": self._gpus}),
            tune_config=tune.TuneConfig(search_alg=self._lanes, num_samples=-1, reuse_actors=True),
            run_config=tune.RunConfig(
                name="lanes",
                storage_path=scratch,
                callbacks=[self._signs],
                failure_config=tune.FailureConfig(max_failures=-1),
                checkpoint_config=tune.CheckpointConfig(checkpoint_frequency=0, checkpoint_at_end=False),
                verbose=0,
            ),
        )
        tuner.fit()


class _Lanes(Searcher):
    """Suggests a further lane while there may be work for it."""

    def __init__(self, resources: ResourceSpec, gpus: float) -> None:
        super().__init__(metric=None, mode=None)
        self._resources, self._gpus = resources, gpus
        self.wanted, self.over = threading.Event(), threading.Event()
        self.packs = 0
        self._alive: set[str] = set()

    def __getstate__(self) -> dict[str, Any]:
        """Tune pickles its parts for ``Tuner.restore``, on which resume does not rest: there is nothing to keep."""
        return {}

    def suggest(self, trial_id: str) -> dict[str, Any] | str | None:  # type: ignore[override]
        """A lane for work that came since, one more than runs now; None while there is none, FINISHED at the end."""
        if self.over.is_set():
            return str(Searcher.FINISHED)
        if not self.wanted.is_set() or len(self._alive) >= min(self.packs, self._room()):
            return None
        self._alive.add(trial_id)
        return {}

    def _room(self) -> int:
        """Lanes that the nodes of this moment carry, which come and go."""
        from explorer.launch.engine.runtime import cluster_slots

        return cluster_slots(self._resources, self._gpus)[0].count

    def on_trial_complete(
        self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False
    ) -> None:
        """A lane had nothing to do any more; the next pack calls for another."""
        self._alive.discard(trial_id)
        if not self._alive:
            self.wanted.clear()

    def save(self, checkpoint_path: str) -> None:
        """Nothing to save: the memo and the tracking store hold all."""

    def restore(self, checkpoint_path: str) -> None:
        """Nothing to restore."""


class _Signs(Callback):
    """Tells the driver that Tune lives, and of lanes that do not."""

    def __init__(self, speak: _Speaker) -> None:
        self._speak = speak

    def __getstate__(self) -> dict[str, Any]:
        """As above."""
        return {}

    def on_step_end(self, iteration: int, trials: list[Any], **info: Any) -> None:
        """Tune's loop goes round."""
        self._speak.sign()

    def on_trial_recover(self, iteration: int, trials: list[Any], trial: Any, **info: Any) -> None:
        """The process of a lane died, and Tune starts another."""
        self._speak(Died(trial.trial_id, _death(trial)))

    def on_trial_error(self, iteration: int, trials: list[Any], trial: Any, **info: Any) -> None:
        """A lane that Tune gives up."""
        self._speak(Died(trial.trial_id, _death(trial)))


def _death(trial: Any) -> Death:
    """What a lane died of. Tune leaves that in files beside the driver, not in the storage where it looks itself.

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
