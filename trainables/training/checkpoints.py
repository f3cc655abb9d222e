"""Checkpoints of single trials, so that a pack can be taken apart and its trials resumed beside others."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from trainables.training.checkpoint_files import checkpoint_file, iterations_of, set_aside
from trainables.training.rows import LAYOUT, MATRICES, TrialState

__all__ = ["CheckpointFolder", "Unreadable", "upgraded"]

_ATTEMPTS = 3
_PAUSE = 0.5
"""A file that cannot be read is tried again after so many seconds, then after twice as many."""


class Unreadable(Exception):
    """The checkpoint of a trial is there and cannot be read, now as before; nothing was changed."""

    def __init__(self, trial: str, file: Path, error: OSError) -> None:
        super().__init__(f"checkpoint {file} cannot be read: {error.strerror or error}")
        self.trial = trial


class CheckpointFolder:
    """``folder/TRIAL/ITERATION.pt``, written whole or not at all, never deleted because it did not load.

    A file that is no state of its trial (damaged, of another layout, of other networks) is set aside under a name of
    its own, and ``said`` hears of it. A file that cannot be read now is tried again, then ``Unreadable`` is raised.
    """

    def __init__(self, folder: Path | str, said: Callable[[str], None] = lambda sentence: None) -> None:
        self.folder = Path(folder)
        self._said = said

    def iterations(self, trial: str) -> list[int]:
        """Iterations at which a trial has a checkpoint, ascending."""
        return iterations_of(self.folder, trial)

    def save(self, states: dict[str, TrialState]) -> None:
        """Write one checkpoint per trial, then drop the older ones.

        Older ones go only when all new ones are there, so trials of a pack always share some iteration.
        """
        written = []
        for trial, state in states.items():
            target = checkpoint_file(self.folder, trial, int(state["iteration"]))
            target.parent.mkdir(parents=True, exist_ok=True)
            partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
            try:
                with partial.open("wb") as file:
                    torch.save(state, file)
                    file.flush()
                    os.fsync(file.fileno())
            except BaseException:
                partial.unlink(missing_ok=True)  # on a full disk half a file is the last thing needed
                raise
            partial.replace(target)
            written.append((trial, int(state["iteration"])))
        for trial, iteration in written:
            for older in self.iterations(trial):
                if older < iteration:
                    checkpoint_file(self.folder, trial, older).unlink(missing_ok=True)

    def load(self, trial: str, iteration: int) -> TrialState:
        """A trial's state; tensors only, nothing in the file is executed.

        Raises OSError if the file cannot be read, ValueError if it holds no state of a trial.
        """
        data = checkpoint_file(self.folder, trial, iteration).read_bytes()
        try:
            found = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
        except MemoryError:
            raise
        except Exception as error:  # whatever torch makes of bytes that are no checkpoint
            raise ValueError(f"it does not load ({type(error).__name__})") from error
        state = upgraded(found)
        if int(state["iteration"]) != iteration:
            raise ValueError(f"it is of iteration {int(state['iteration'])}")
        return state

    def newest_states(self, trials: Sequence[str]) -> dict[str, TrialState]:
        """What each trial goes on from, if it has anything to go on from: all of them at one iteration if they can.

        A pack whose driver died while saving has two iterations: all take the one they share. What shares none goes on
        from its own newest.
        """
        left = {trial: set(self.iterations(trial)) for trial in trials}
        while any(left.values()):
            has = [trial for trial in trials if left[trial]]
            shared = set.intersection(*(left[trial] for trial in has))
            wanted = {trial: max(shared or left[trial]) for trial in has}
            found = {trial: self.state(trial, iteration) for trial, iteration in wanted.items()}
            for trial, state in found.items():
                if state is None:
                    left[trial].discard(wanted[trial])
            states = {trial: state for trial, state in found.items() if state is not None}
            if len(states) == len(found):
                return states
        return {}

    def state(self, trial: str, iteration: int) -> TrialState | None:
        """A state, tried again where reading fails; None if the file holds none and was set aside."""
        for attempt in range(_ATTEMPTS):
            try:
                return self.load(trial, iteration)
            except ValueError as error:
                self.put_aside(trial, iteration, str(error))
                return None
            except OSError as error:
                if attempt == _ATTEMPTS - 1:
                    raise Unreadable(trial, checkpoint_file(self.folder, trial, iteration), error) from error
                time.sleep(_PAUSE * 2**attempt)
        raise AssertionError("unreachable")

    def put_aside(self, trial: str, iteration: int, why: str) -> None:
        """Set a checkpoint aside and say so."""
        file = checkpoint_file(self.folder, trial, iteration)
        try:
            aside = set_aside(file)
        except FileNotFoundError:
            return  # another process was quicker
        self._said(f"checkpoint {file} is of no use, {why}; it was set aside as {aside.name}")

    def note(self, trial: str) -> str | None:
        """What ``set_note`` wrote beside a trial's checkpoints, None if nothing."""
        try:
            return (self.folder / trial / "note.txt").read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def set_note(self, trial: str, text: str) -> None:
        """A word that belongs to a trial's newest state, such as why it was ended there."""
        partial = self.folder / trial / f".note.{os.getpid()}.partial"
        partial.write_text(text, encoding="utf-8")
        partial.replace(self.folder / trial / "note.txt")


def upgraded(state: object) -> TrialState:
    """A state in today's layout; refuses what is not the state of a trial.

    Layout 1 had no number, no buffers, and the vectors of spectral normalisation under their own name.
    """
    if not isinstance(state, dict) or not all(isinstance(value, torch.Tensor) for value in state.values()):
        raise ValueError("it is not the state of a trial")
    if "layout" not in state and "spectral" in state:
        state = {**state, "layout": torch.tensor(LAYOUT), "constraint": state["spectral"]}
        del state["spectral"]
    if "layout" in state and (state["layout"].numel() != 1 or int(state["layout"]) != LAYOUT):
        raise ValueError(f"it is of layout {state['layout'].tolist()}, and this version reads 1 and {LAYOUT}")
    missing = {"iteration", "layout", "constraint", *MATRICES} - set(state)
    if missing or state["iteration"].numel() != 1:
        raise ValueError("it is not the state of a trial")
    return state
