"""One driver per base on a machine: sweeps that begin at the same base train it once."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection
from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

from explorer.folders import data_folder
from explorer.launch.lock import refused

__all__ = ["Claims"]

PAUSE = 0.5
"""Seconds between two looks at whether another driver is done with a base."""


class Claims:
    """The bases that this driver trains and no other; the system lets go of them when the process dies.

    Those of drivers on other machines are not seen.
    """

    def __init__(self, sweep: str) -> None:
        self._sweep = sweep
        self._held: dict[str, FileLock] = {}

    def __enter__(self) -> Claims:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for base in list(self._held):
            self.release(base)

    def take(self, bases: Collection[str], tell: Callable[[str], None]) -> bool:
        """Hold all of these bases; True if another driver held one, so that its state has changed meanwhile.

        Either all are held or none, so that no two drivers wait for each other. ``tell`` hears whom it waits for.
        """
        told, holder = "", self._try(bases)
        while holder is not None:
            if holder != told:
                tell(f"waiting for {holder}")
                told = holder
            time.sleep(PAUSE)
            holder = self._try(bases)
        return told != ""

    def _try(self, bases: Collection[str]) -> str | None:
        """None if all are held now, else a base that another driver holds, with who that is; then none is held."""
        for base in sorted(bases):
            file = _file(base)
            lock = FileLock(file, timeout=0)
            try:
                file.parent.mkdir(exist_ok=True)
                lock.acquire()
                file.write_text(f"{os.getpid()} {self._sweep}")
            except Timeout:
                self.__exit__(None, None, None)
                process, _, sweep = file.read_text().strip().partition(" ")
                return f"base {base}, which sweep '{sweep}' (process {process}) trains"
            except OSError as error:
                raise refused(file.parents[1], error) from error
            self._held[base] = lock
        return None

    def release(self, base: str) -> None:
        """The base is over, or not ours to train after all."""
        lock = self._held.pop(base, None)
        if lock is not None:
            lock.release()


def _file(base: str) -> Path:
    return data_folder() / "locks" / f"base.{base}.lock"
