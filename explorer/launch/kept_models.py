"""Which trials of a sweep get a model, and its files: made of what a trial's reader left beside its states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import numpy as np

from explorer.goals import Goal, minimised
from explorer.models import Tried, Unmade, look_around, model_files
from explorer.store.schema import MODEL_FOLDER
from trainables.evaluation.reading import Evaluation
from trainables.faults import reason_of
from trainables.training.state_files import SAMPLER, StateFiles

__all__ = ["KeptModels"]


class KeptModels:
    """Models of trials as they end: of all, of those on the front of what has ended so far, or of none.

    A trial that others leave behind later keeps its model: when it ended nobody was better.
    """

    def __init__(
        self,
        files: StateFiles,
        wanted: Literal["all", "front", "none"],
        goals: Sequence[Goal],
        ended: Iterable[Mapping[str, float]] = (),
    ) -> None:
        """``files``: where checkpoints lie. ``ended``: metrics of trials that had ended before."""
        self._files = files
        self._wanted = wanted
        self._goals = goals
        self._tried = Tried()
        self._front = np.empty((0, len(goals)))
        if wanted == "front":
            for metrics in ended:
                self._is_on_front(metrics)

    def prepare(self) -> None:
        """What takes a second, and need not wait until a trial has ended."""
        if self._wanted != "none":
            look_around()

    def of(self, trial: str, evaluation: Evaluation) -> tuple[dict[str, bytes], list[str]]:
        """The files of a trial's model by their names among its artifacts, and a sentence if a fault cost it."""
        if self._wanted == "none":
            return {}, []
        if self._wanted == "front" and not self._is_on_front(evaluation.metrics):
            return {}, []
        try:
            made = model_files(self._files.read(trial, SAMPLER))
            fault = self._tried.fault(made)
        except FileNotFoundError:  # it was too large, or could not be written, which its reader told
            return {}, []
        except (OSError, Unmade) as error:
            return {}, [f"its model is left out ({error})"]
        except Exception as error:  # of an installation that nobody thought of: no model is worth a sweep
            return {}, [f"its model is left out ({reason_of(error)})"]
        if fault is not None:
            return {}, [f"its model is left out (it cannot be loaded where its modules are not: {fault})"]
        return {f"{MODEL_FOLDER}/{name}": content for name, content in made.items()}, []

    def _is_on_front(self, metrics: Mapping[str, float]) -> bool:
        """Whether nothing that ended is better; from now on it is among that. O(F)."""
        (point,) = minimised(self._goals, [metrics])
        if not np.isfinite(point).all():
            return False
        no_worse, better = (self._front <= point).all(axis=1), (self._front < point).any(axis=1)
        if (no_worse & better).any():
            return False
        stays = ~((point <= self._front).all(axis=1) & (point < self._front).any(axis=1))
        self._front = np.unique(np.vstack((self._front[stays], point)), axis=0)
        return True
