"""Cuts the trials of a pack into parts that are trained one after the other, where that was measured to be better."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from explorer.launch.packing import PlannedTrial
from explorer.memory import available

__all__ = ["Parts"]

_WORTH_SIZING, _WORTH_MEASURING = 4, 200
"""Trials, and iterations of each, from which on it is measured how many of them to train at a time."""


class Parts:
    """For one pack: measures once, of what takes long enough to be worth it."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        """``config``: what the pack is told; where its size is the user's own choice there is nothing to measure."""
        self._device = "cuda" if config["gpus"] else "cpu"
        self._room = _room(config) if config.get("measured") else None

    def of(self, trials: Sequence[PlannedTrial]) -> tuple[list[list[PlannedTrial]], str]:
        """The trials in parts, all in one where they train well together, and why there are several."""
        work = sum(trial.remaining for trial in trials)
        if self._room is None or len(trials) < _WORTH_SIZING or work < _WORTH_MEASURING * len(trials):
            return [list(trials)], ""
        from trainables.training.sizing import best_size, measured_sizes

        room, self._room = self._room, None
        measured = measured_sizes([trial.config for trial in trials], self._device, room)
        size = best_size(measured, len(trials), room)
        parts = [list(trials[i : i + size.trials]) for i in range(0, len(trials), size.trials)]
        return parts, f"{len(trials)} trials of a pack train {size.trials} at a time: {size.reason}"


def _room(config: Mapping[str, Any]) -> int:
    """Bytes that a pack may use: its part of the card, or of what is free beside those on the other cores."""
    import torch

    if config["gpus"]:
        free, whole = torch.cuda.mem_get_info()
        return int(min(free, whole * float(config["gpus"])))
    return int(available() * min(1.0, float(config["cpus"]) / (os.cpu_count() or 1)))
