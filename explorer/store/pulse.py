"""Whether a SQLite file has changed, as SQLite itself counts it for a connection that stays open."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

__all__ = ["Mark", "Outside", "Pulse", "outside"]

WAIT_S = 0.2
"""Longest wait to learn whether a file has changed; a writer that holds it longer is about to change it."""

Mark = tuple[int, int, int, int, int]
Outside = tuple[tuple[int | str, ...], ...]


def outside(file: Path) -> Outside | None:
    """A file and what SQLite keeps beside it, from outside; None where it has just changed, or is gone.

    Clocks of file systems tick every few milliseconds: what was written within the last second may be written again
    under the same time.
    """
    told = []
    for one in (file, Path(f"{file}-wal")):
        try:
            found = one.stat()
        except OSError:
            continue
        if time.time() - found.st_mtime < 1:
            return None
        told.append((found.st_ino, found.st_mtime_ns, found.st_size))
    return tuple(told) or None


class Pulse:
    """One file, for one thread at a time; no file is never known to be unchanged."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._link: sqlite3.Connection | None = None
        self._of: tuple[int, int] | None = None

    def mark(self) -> Mark | None:
        """Equal to an earlier one if nothing was written since; None where that is not known.

        SQLite counts what SQLite writes. A file that another was copied over may have come to the same count, and has
        another time.
        """
        if self._file is None:
            return None
        try:
            found = self._file.stat()
            place = found.st_dev, found.st_ino
            if self._link is None or place != self._of:
                address = f"{self._file.as_uri()}?mode=rw"
                self._link = sqlite3.connect(address, uri=True, timeout=WAIT_S, check_same_thread=False)
                self._of = place
            (version,) = self._link.execute("PRAGMA data_version").fetchone()
        except (sqlite3.Error, OSError):
            self._link = None
            return None
        return *place, version, found.st_mtime_ns, found.st_size
