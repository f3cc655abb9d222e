"""Checkpoints of single trials, so that a pack can be taken apart and its trials resumed beside others."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from trainables.training.local_files import LocalFiles
from trainables.training.rows import LAYOUT, MATRICES, TrialState
from trainables.training.state_files import NOTE, StateFiles, Unreachable, iterations_in, state_name

__all__ = ["CheckpointFolder", "Unreadable", "upgraded"]

_ATTEMPTS = 3
_PAUSE = 0.5
"""A file that cannot be read is tried again after so many seconds, then after twice as many."""

_LOOKS = 20
"""A listed file that is gone when it is read is looked for again this often: its writer has gone on meanwhile."""


class Unreadable(Exception):
    """The checkpoint of a trial is there and cannot be read, now as before; nothing was changed."""

    def __init__(self, trial: str, place: str, error: OSError) -> None:
        super().__init__(f"checkpoint {place} cannot be read: {error.strerror or error}")
        self.trial = trial


class CheckpointFolder:
    """``TRIAL/ITERATION.pt`` among any kind of files, never deleted because it did not load.

    A file that is no state of its trial (damaged, of another layout, of other networks) is set aside under a name of
    its own, and ``said`` hears of it. A file that cannot be read now is tried again, then ``Unreadable`` is raised. A
    place that does not answer is the fault of no trial: ``Unreachable`` passes through.

    Others may train the same trials at the same time. Of the older states of a trial only those go that this object
    wrote or began from; a state that another drops between a look at the names and reading it is looked for again.
    """

    def __init__(
        self, files: StateFiles | Path | str, said: Callable[[str], None] = lambda sentence: None
    ) -> None:
        """``files``: where they lie, or a folder."""
        self.files = files if isinstance(files, StateFiles) else LocalFiles(files)
        self._said = said
        self._ours: dict[str, set[int]] = {}

    def iterations(self, trial: str) -> list[int]:
        """Iterations at which a trial has a checkpoint, ascending."""
        return iterations_in(self.files.names(trial))

    def save(self, states: dict[str, TrialState]) -> None:
        """Write one checkpoint per trial, then drop the older ones of ours.

        Older ones go only when all new ones are there, so trials of a pack always share some iteration.
        """
        written = self.files.each(self._write, states.items())
        older = [(trial, one) for trial, now in written for one in sorted(self._ours[trial]) if one < now]
        self.files.each(self._drop, older)

    def _write(self, one: tuple[str, TrialState]) -> tuple[str, int]:
        trial, state = one
        iteration = int(state["iteration"])
        data = io.BytesIO()
        torch.save(state, data)
        self.files.write(trial, state_name(iteration), data.getvalue())
        self._ours.setdefault(trial, set()).add(iteration)
        return trial, iteration

    def _drop(self, one: tuple[str, int]) -> None:
        trial, iteration = one
        self.files.remove(trial, state_name(iteration))
        self._ours[trial].discard(iteration)

    def load(self, trial: str, iteration: int) -> TrialState:
        """A trial's state; tensors only, nothing in the file is executed.

        Raises OSError if the file cannot be read, ValueError if it holds no state of a trial.
        """
        return _parsed(self.files.read(trial, state_name(iteration)), iteration)

    def newest_states(self, trials: Sequence[str]) -> dict[str, TrialState]:
        """What each trial goes on from, if it has anything to go on from: all of them at one iteration if they can.

        A pack whose driver died while saving has two iterations: those that were saved again take the older one, which
        is the newest of the others. What shares none goes on from its own newest. An older one that all of them have
        and none of them needs, since another process left it, is not gone back to.
        """
        left = dict(zip(trials, map(set, self.files.each(self.iterations, trials)), strict=True))
        loaded: dict[tuple[str, int], TrialState] = {}
        looks = 0
        while any(left.values()):
            has = [trial for trial in trials if left[trial]]
            least = min(max(left[trial]) for trial in has)
            together = all(least in left[trial] for trial in has)
            wanted = {trial: least if together else max(left[trial]) for trial in has}
            missing = [one for one in wanted.items() if one not in loaded]
            whole = True
            for (trial, iteration), found in zip(missing, self.files.each(self._found, missing), strict=True):
                if isinstance(found, FileNotFoundError):
                    looks += 1
                    if looks > _LOOKS:
                        raise Unreadable(trial, self.files.place(trial, state_name(iteration)), found)
                    left[trial] = set(self.iterations(trial))
                elif found is None:
                    left[trial].discard(iteration)
                else:
                    loaded[trial, iteration] = found
                    continue
                whole = False
            if whole:
                for trial, iteration in wanted.items():
                    self._ours.setdefault(trial, set()).add(iteration)
                return {trial: loaded[trial, iteration] for trial, iteration in wanted.items()}
        return {}

    def _found(self, one: tuple[str, int]) -> TrialState | FileNotFoundError | None:
        """A state; None if the file holds none; the error if it is gone, without waiting: names are asked again."""
        try:
            return self._tried(*one)
        except FileNotFoundError as gone:
            return gone

    def state(self, trial: str, iteration: int) -> TrialState | None:
        """A state, tried again where reading fails; None if the file holds none and was set aside."""
        for attempt in range(_ATTEMPTS):
            try:
                return self._tried(trial, iteration)
            except FileNotFoundError as gone:  # a node may hear late of a file that another has written
                error = gone
            if attempt < _ATTEMPTS - 1:
                time.sleep(_PAUSE * 2**attempt)
        raise Unreadable(trial, self.files.place(trial, state_name(iteration)), error) from error

    def _tried(self, trial: str, iteration: int) -> TrialState | None:
        """A state, or None if the file holds none and was set aside; FileNotFoundError at once if it is not there."""
        damaged = False
        for attempt in range(_ATTEMPTS):
            try:
                return self.load(trial, iteration)
            except ValueError as error:
                if damaged:
                    self.put_aside(trial, iteration, str(error))
                    return None
                damaged = True  # or replaced while it was read; then it is another file by now
            except (FileNotFoundError, Unreachable):
                raise
            except OSError as error:
                if attempt == _ATTEMPTS - 1:
                    place = self.files.place(trial, state_name(iteration))
                    raise Unreadable(trial, place, error) from error
                time.sleep(_PAUSE * 2**attempt)
        raise AssertionError("unreachable")

    def put_aside(self, trial: str, iteration: int, why: str) -> None:
        """Set a checkpoint aside and say so."""
        try:
            aside = self.files.set_aside(trial, state_name(iteration))
        except FileNotFoundError:
            return  # another process was quicker
        place = self.files.place(trial, state_name(iteration))
        self._said(f"checkpoint {place} is of no use, {why}; it was set aside as {aside}")

    def notes(self, trials: Sequence[str]) -> dict[str, str]:
        """The notes of those trials that have one."""
        found = zip(trials, self.files.each(self.note, trials), strict=True)
        return {trial: note for trial, note in found if note is not None}

    def note(self, trial: str) -> str | None:
        """What ``set_note`` wrote beside a trial's checkpoints, None if nothing."""
        try:
            return self.files.read(trial, NOTE).decode("utf-8")
        except Unreachable:
            raise  # a trial that was ended must not be trained on because nobody could tell
        except (OSError, UnicodeDecodeError):
            return None

    def set_note(self, trial: str, text: str) -> None:
        """A word that belongs to a trial's newest state, such as why it was ended there."""
        self.files.write(trial, NOTE, text.encode("utf-8"))


def _parsed(data: bytes, iteration: int) -> TrialState:
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
    state = {"generator_constraint": torch.zeros(0), **state}  # older ones constrained critics alone
    missing = {"iteration", "layout", "constraint", *MATRICES} - set(state)
    if missing or state["iteration"].numel() != 1:
        raise ValueError("it is not the state of a trial")
    return state
