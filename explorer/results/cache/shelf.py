"""The folder of what was read: a file a sweep, written beside its place and moved there when whole.

Whoever finds a file that is damaged, cut short, of another version or of another sweep goes on as if there were none,
and so does who cannot write. What was not looked at for longest goes when the folder grows too large.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from explorer.errors import UserError
from explorer.folders import data_folder
from explorer.results.cache.columns import read_columns, write_columns
from explorer.results.known import Known
from explorer.store.addresses import sqlite_address, without_password
from explorer.store.versions import installed_mlflow

__all__ = ["FORMAT", "MOST_BYTES", "Shelf"]

FORMAT = 2
"""Of these files; another number wherever what is in them, or what a run means, becomes another."""

MOST_BYTES = 2**29
"""Of all sweeps together; one of 10,000 trials with 30 parameters and 30 metrics has some 20 MB."""

LEFT_S = 3600.0
"""Age of a half-written file whose writer must be dead."""

_MAKING, _MADE = ".making", ".npz"


class Shelf:
    """The file of one sweep: of a store, by its run there."""

    def __init__(self, uri: str, experiment: str, run: str) -> None:
        # A password does not make another store, and is written nowhere.
        self._key = [FORMAT, without_password(sqlite_address(uri)), experiment, run]
        self._name = blake2b(repr(self._key).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def load(self) -> tuple[list[Known], dict[str, Any]] | None:
        """The runs as they were read last, and what was said with them; None if there is nothing to go by."""
        with contextlib.suppress(Exception):  # whatever is wrong with a file, it is read from the store again
            path = _folder() / f"{self._name}{_MADE}"
            with path.open("rb") as file:
                runs, head = read_columns(file)
            if head["key"] == self._key and head["version"] == _version():
                os.utime(path)
                return runs, head["said"]
        return None

    def save(self, runs: Sequence[Known], said: Mapping[str, object]) -> bool:
        """Keep them, in the place of what was kept; whether that could be done."""
        head = {"key": self._key, "version": _version(), "said": dict(said)}
        try:
            folder = _folder()
            folder.mkdir(exist_ok=True)
            with NamedTemporaryFile(dir=folder, suffix=_MAKING, delete=False) as file:
                try:
                    write_columns(file, runs, head)
                    file.close()
                    Path(file.name).replace(folder / f"{self._name}{_MADE}")
                except BaseException:
                    Path(file.name).unlink(missing_ok=True)
                    raise
            _tidy(folder)
        except (
            OSError,
            UserError,
            ValueError,
            OverflowError,
            TypeError,
        ):  # a full disk, or values that no file takes
            return False
        return True

    def forget(self) -> None:
        """Remove what is kept."""
        with contextlib.suppress(OSError, UserError):
            (_folder() / f"{self._name}{_MADE}").unlink(missing_ok=True)


def _folder() -> Path:
    return data_folder() / "cache"


def _version() -> list[str]:
    """What reads runs as it does: this package, and MLflow's tables."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return [version("tradeoff-explorer"), installed_mlflow()]
    except PackageNotFoundError:
        return ["", installed_mlflow()]


def _tidy(folder: Path) -> None:
    """What dead writers left goes, and what nobody looked at for longest, down to ``MOST_BYTES``."""
    now, room = time.time(), MOST_BYTES
    for path, age, size in sorted(_files(folder, now), key=lambda one: one[1]):
        room -= size
        if room < 0 if path.suffix == _MADE else age > LEFT_S:
            path.unlink(missing_ok=True)


def _files(folder: Path, now: float) -> Iterator[tuple[Path, float, int]]:
    """Ours, with their age in seconds and their bytes."""
    for path in folder.iterdir():
        if path.suffix in (_MADE, _MAKING):
            with contextlib.suppress(OSError):
                found = path.stat()
                yield path, now - found.st_mtime, found.st_size
