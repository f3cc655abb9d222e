"""Checkpoints of nodes that do not see the driver's folder: the driver's node keeps them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import ray

from explorer.launch.marks import is_seen
from explorer.storage import local_folder, open_files
from trainables.training.local_files import LocalFiles
from trainables.training.state_files import StateFiles, Unreachable

__all__ = ["FarFiles", "Keeper", "files_here"]


def files_here(storage: str, token: str, exchange: Any) -> StateFiles:
    """The driver's files as this node reaches them: the store, the folder if it is seen here, else ``exchange``."""
    folder = local_folder(storage)
    if folder is None or not token or is_seen(folder, token):
        return open_files(storage)
    return FarFiles(exchange, storage)


class Keeper:
    """The files of the driver's folder, for whoever asks."""

    def __init__(self, folder: str) -> None:
        self._files = LocalFiles(Path(folder))

    def do(self, what: str, *given: Any) -> Any:
        """One of the operations of :class:`StateFiles`; what it raises of its own is told as it is."""
        try:
            return getattr(self._files, what)(*given)
        except OSError as error:
            return error


class FarFiles(StateFiles):
    """The files of the :class:`Keeper` that an exchange has."""

    far: ClassVar[bool] = True

    def __init__(self, exchange: Any, folder: str) -> None:
        self._exchange = exchange
        self._folder = folder

    def _ask(self, what: str, *given: Any) -> Any:
        try:
            found = ray.get(self._exchange.files.remote(what, *given))
        except ray.exceptions.RayError as error:
            raise Unreachable(f"the node that keeps '{self._folder}' does not answer") from error
        if isinstance(found, OSError):
            raise found
        return found

    def place(self, trial: str = "", name: str = "") -> str:
        """Of the folder on the driver's node."""
        found: str = self._ask("place", trial, name)
        return found

    def check(self) -> None:
        """As the folder."""
        self._ask("check")

    def names(self, trial: str) -> list[str]:
        """As the folder."""
        found: list[str] = self._ask("names", trial)
        return found

    def listing(self) -> dict[str, list[str]]:
        """As the folder."""
        found: dict[str, list[str]] = self._ask("listing")
        return found

    def read(self, trial: str, name: str) -> bytes:
        """As the folder."""
        found: bytes = self._ask("read", trial, name)
        return found

    def write(self, trial: str, name: str, data: bytes) -> None:
        """As the folder."""
        self._ask("write", trial, name, data)

    def remove(self, trial: str, name: str) -> None:
        """As the folder."""
        self._ask("remove", trial, name)

    def move(self, trial: str, name: str, to_trial: str, to_name: str) -> None:
        """As the folder."""
        self._ask("move", trial, name, to_trial, to_name)
