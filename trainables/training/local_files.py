"""States in a folder of this machine, or of a file system that every node sees."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from trainables.training.state_files import DOCUMENTS, StateFiles

__all__ = ["LocalFiles"]


class LocalFiles(StateFiles):
    """``FOLDER/TRIAL/NAME``. A file is written beside its place, forced to the disk and moved there."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)

    def place(self, trial: str = "", name: str = "") -> str:
        """The path."""
        return str(self.folder / trial / name)

    def check(self) -> None:
        """Make the folder; it must be writable."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if not os.access(self.folder, os.W_OK | os.X_OK):
            raise PermissionError(f"'{self.folder}' is read-only")

    def names(self, trial: str) -> list[str]:
        """The files of a trial."""
        return [path.name for path in (self.folder / trial).glob("*")]

    def listing(self) -> dict[str, list[str]]:
        """The files of every trial."""
        found: dict[str, list[str]] = {}
        for path in self.folder.glob("*/*"):
            if path.parent.name != DOCUMENTS:
                found.setdefault(path.parent.name, []).append(path.name)
        return found

    def read(self, trial: str, name: str) -> bytes:
        """What a file holds."""
        return (self.folder / trial / name).read_bytes()

    def write(self, trial: str, name: str, data: bytes) -> None:
        """Write a file whole; on a full disk the one before stays and nothing else does."""
        target = self.folder / trial / name
        target.parent.mkdir(parents=True, exist_ok=True)
        # Processes on several nodes may have one number, and threads of one process do.
        partial = target.with_name(f".{name}.{os.getpid()}-{secrets.token_hex(4)}.partial")
        try:
            with partial.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(target)
        except BaseException:
            partial.unlink(missing_ok=True)  # on a full disk half a file is the last thing needed
            raise

    def remove(self, trial: str, name: str) -> None:
        """Remove a file."""
        (self.folder / trial / name).unlink(missing_ok=True)

    def move(self, trial: str, name: str, to_trial: str, to_name: str) -> None:
        """Rename a file."""
        (self.folder / to_trial).mkdir(parents=True, exist_ok=True)
        (self.folder / trial / name).rename(self.folder / to_trial / to_name)

    def rename_trials(self, renamed: Mapping[str, str]) -> None:
        """Rename folders, each at one stroke."""
        for now, before in renamed.items():
            if (self.folder / before).is_dir() and not (self.folder / now).exists():
                (self.folder / before).rename(self.folder / now)
