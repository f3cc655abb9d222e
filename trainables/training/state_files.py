"""Where the states of trials lie, whatever kind of place that is: the few operations that checkpoints need."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar, TypeVar

__all__ = [
    "DOCUMENTS",
    "NOTE",
    "SAMPLER",
    "Document",
    "StateFiles",
    "Unreachable",
    "iterations_in",
    "state_name",
]

DOCUMENTS = "studies"
"""The folder of documents. It lies beside the trials and is none: those are named by hexadecimal digits."""

NOTE = "note.txt"

SAMPLER = "sampler.safetensors"
"""The trained networks of a trial that is over, as they were evaluated: all that it takes to draw samples."""

AT_ONCE = 16
"""Requests that are made side by side where each has a way to go."""

One = TypeVar("One")
Result = TypeVar("Result")


class Unreachable(OSError):
    """The place did not answer, nor when it was asked again for a while; whether a file is there is not known."""


def state_name(iteration: int) -> str:
    """The name of a state among the files of its trial."""
    return f"{iteration}.pt"


def iterations_in(names: Iterable[str]) -> list[int]:
    """Iterations of the states among the files of a trial, ascending."""
    parts = (name.rpartition(".") for name in names)
    return sorted(int(stem) for stem, _, kind in parts if kind == "pt" and stem.isdecimal())


class StateFiles(ABC):
    """Files of trials, ``TRIAL/NAME``, and documents beside them.

    Any number of processes may work on one place. A file is written whole or not at all, and a reader has either what
    was there before or what is there now. Faults are OSErrors: FileNotFoundError where there is no such file,
    Unreachable where nobody can tell.

    Attributes:
        far: every request has a way to go. Then several are made side by side, and a launch asks for the names of all
            trials at once instead of trial by trial.
    """

    far: ClassVar[bool] = False

    @abstractmethod
    def place(self, trial: str = "", name: str = "") -> str:
        """The address of a file, of a trial's files or of all, for people; it holds no credentials."""

    @abstractmethod
    def check(self) -> None:
        """Make the place if it can be made; OSError if files cannot be kept there."""

    @abstractmethod
    def names(self, trial: str) -> list[str]:
        """The files of a trial, none if it has none."""

    @abstractmethod
    def listing(self) -> dict[str, list[str]]:
        """The files of every trial that has any."""

    @abstractmethod
    def read(self, trial: str, name: str) -> bytes:
        """What a file holds."""

    @abstractmethod
    def write(self, trial: str, name: str, data: bytes) -> None:
        """Write a file, in place of one of that name if there is one."""

    @abstractmethod
    def remove(self, trial: str, name: str) -> None:
        """Remove a file; one that is gone is no fault."""

    @abstractmethod
    def move(self, trial: str, name: str, to_trial: str, to_name: str) -> None:
        """Give a file another name."""

    def set_aside(self, trial: str, name: str) -> str:
        """Rename a file that is no use as a state, so that nothing looks for one there; nothing is ever lost."""
        taken = set(self.names(trial))
        for number in range(1, 1000):
            aside = f"{name}.aside-{number}"
            if aside not in taken:
                self.move(trial, name, trial, aside)
                return aside
        raise FileExistsError(
            f"{self.place(trial, name)} was set aside a thousand times; look into {self.place(trial)}"
        )

    def rename_trials(self, renamed: Mapping[str, str]) -> None:
        """Let trials have the files of their names before, ``{now: before}``, unless they have some of their own."""
        found = self.listing()
        moves = [
            (before, name, now)
            for now, before in renamed.items()
            for name in found.get(before, ())
            if now not in found
        ]
        self.each(lambda one: self.move(one[0], one[1], one[2], one[1]), moves)

    def document(self, name: str) -> Document:
        """A text that belongs to no trial."""
        return Document(self, name)

    def each(self, work: Callable[[One], Result], these: Iterable[One]) -> list[Result]:
        """The same for many files: one after the other, or side by side where the place is far.

        The first fault is raised; what has not begun by then is not begun.
        """
        if not self.far:
            return [work(one) for one in these]
        with ThreadPoolExecutor(AT_ONCE) as threads:
            asked = [threads.submit(work, one) for one in these]
            try:
                return [one.result() for one in asked]
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                raise


class Document:
    """A small text under a name of its own, ``studies/NAME.json``, replaced as a whole."""

    def __init__(self, files: StateFiles, name: str) -> None:
        if not name or "/" in name:
            raise ValueError(f"a document must have a name without '/', got {name!r}")
        self._files = files
        self._name = f"{name}.json"

    @property
    def place(self) -> str:
        """Its address, for people."""
        return self._files.place(DOCUMENTS, self._name)

    def load(self) -> str | None:
        """What was saved last, None if nothing was; ValueError if it is no text."""
        try:
            return self._files.read(DOCUMENTS, self._name).decode("utf-8")
        except FileNotFoundError:
            return None

    def save(self, text: str) -> None:
        """Replace it."""
        self._files.write(DOCUMENTS, self._name, text.encode("utf-8"))

    def set_aside(self) -> str:
        """Give it another name, of which nobody reads it → its address then."""
        return self._files.place(DOCUMENTS, self._files.set_aside(DOCUMENTS, self._name))
