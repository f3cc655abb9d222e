"""A trial that does nothing for a second: what is left of the time is the engine's."""

from __future__ import annotations

import pickle
import time
from typing import Any

from explorer.launch.pack_work import PackWork
from explorer.launch.packing import Pack
from trainables.evaluation.reading import PLAIN, Evaluation, Reading

__all__ = ["METRICS", "SECONDS", "IdleWork"]

SECONDS = 1.0
METRICS = {"precision": 0.5, "recall": 0.5, "density": 0.5, "coverage": 0.5, "fid": 1.0}


class IdleWork(PackWork):
    """In place of training and measuring, a pause; it tells the same numbers of every trial."""

    def __init__(self, config: dict[str, Any], shipped: bool = False, files: object = None) -> None:
        self._pack, _ = Pack.from_json(config["pack"], shipped)

    @property
    def waiting(self) -> list[str]:
        """Nobody."""
        return []

    def step(self) -> dict[str, Any]:
        """All of it."""
        time.sleep(SECONDS * len(self._pack.trials))
        told = {
            trial.id: (Evaluation(trial.end, True, (Reading(*PLAIN, METRICS),)), None)
            for trial in self._pack.trials
        }
        reached = sum(trial.remaining for trial in self._pack.trials)
        return {"reached": reached, "done": True, "payload": pickle.dumps(told)}

    def save(self) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""
