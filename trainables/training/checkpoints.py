"""Checkpoints of single trials, so that a pack can be taken apart and its trials resumed beside others."""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Sequence
from pathlib import Path

import torch

from trainables.training.population import LAYOUT, MATRICES, TrialState

__all__ = ["CheckpointFolder", "upgraded"]

log = logging.getLogger(__name__)


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
        return upgraded(state)

    def note(self, trial: str) -> str | None:
        """What ``set_note`` wrote beside a trial's checkpoints, None if nothing."""
        try:
            return (self.folder / trial / "note.txt").read_text(encoding="utf-8")
        except OSError:
            return None

    def set_note(self, trial: str, text: str) -> None:
        """A word that belongs to a trial's newest state, such as why it was ended there."""
        partial = self.folder / trial / f".note.{os.getpid()}.partial"
        partial.write_text(text, encoding="utf-8")
        partial.replace(self.folder / trial / "note.txt")

    def newest_common(self, trials: Sequence[str]) -> int:
        """The newest iteration at which all the trials have a checkpoint, 0 if none."""
        shared = set.intersection(*(set(self.iterations(trial)) for trial in trials)) if trials else set()
        return max(shared, default=0)

    def load_common(self, trials: Sequence[str]) -> tuple[int, list[TrialState] | None]:
        """The states of all trials at the newest iteration they share; (0, None) if there is none.

        A file that does not load (damaged, or of an older layout) is removed, and an older one is tried.
        """
        while common := self.newest_common(trials):
            states: list[TrialState] = []
            for trial in trials:
                try:
                    states.append(self.load(trial, common))
                except (RuntimeError, ValueError, EOFError, OSError, pickle.UnpicklingError) as error:
                    log.warning(
                        "checkpoint %s of trial %s is removed, it does not load: %s", common, trial, error
                    )
                    (self.folder / trial / f"{common}.pt").unlink(missing_ok=True)
                    break
            else:
                return common, states
        return 0, None


def upgraded(state: TrialState) -> TrialState:
    """A state in today's layout; refuses what is not the state of a trial.

    Layout 1 had no number, no buffers, and the vectors of spectral normalisation under their own name.
    """
    if "layout" not in state and "spectral" in state:
        state = {**state, "layout": torch.tensor(LAYOUT), "constraint": state["spectral"]}
        del state["spectral"]
    missing = {"iteration", "layout", "constraint", *MATRICES} - set(state)
    if missing:
        raise ValueError(f"it holds {sorted(state)}, which is not the state of a trial")
    if int(state["layout"]) != LAYOUT:
        raise ValueError(
            f"it is of layout {int(state['layout'])}, and this version reads layouts 1 and {LAYOUT}"
        )
    return state
