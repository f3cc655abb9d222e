"""Checkpoints of single trials, so that a pack can be taken apart and its trials resumed beside others."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import torch

from trainables.training.population import TrialState

__all__ = ["CheckpointFolder"]


class CheckpointFolder:
    """``folder/TRIAL/ITERATION.pt``, written whole or not at all."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)

    def iterations(self, trial: str) -> list[int]:
        """Iterations at which a trial has a checkpoint, ascending."""
        return sorted(int(path.stem) for path in (self.folder / trial).glob("*.pt") if path.stem.isdigit())

    def save(self, states: dict[str, TrialState]) -> None:
        """Write one checkpoint per trial, then drop the older ones.

        Older ones go only when all new ones are there, so trials of a pack always share some iteration.
        """
        written = []
        for trial, state in states.items():
            place = self.folder / trial
            place.mkdir(parents=True, exist_ok=True)
            target = place / f"{int(state['iteration'])}.pt"
            partial = place / f".{target.name}.{os.getpid()}.partial"
            with partial.open("wb") as file:
                torch.save(state, file)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(target)
            written.append(target)
        for target in written:
            for older in target.parent.glob("*.pt"):
                if older.stem.isdigit() and int(older.stem) < int(target.stem):
                    older.unlink(missing_ok=True)

    def load(self, trial: str, iteration: int) -> TrialState:
        """A trial's state; tensors only, nothing in the file is executed."""
        state: TrialState = torch.load(
            self.folder / trial / f"{iteration}.pt", map_location="cpu", weights_only=True
        )
        return state

    def newest_common(self, trials: Sequence[str]) -> int:
        """The newest iteration at which all the trials have a checkpoint, 0 if none."""
        shared = set.intersection(*(set(self.iterations(trial)) for trial in trials)) if trials else set()
        return max(shared, default=0)
