"""One driver per base on a machine: sweeps that begin at the same base train it once."""

from __future__ import annotations

import hashlib
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

    def __init__(self, sweep: str, storage: str) -> None:
        """``storage`` is where checkpoints lie: bases of another place are other bases."""
        self._sweep = sweep
        self._place = hashlib.sha256(storage.encode()).hexdigest()[:8]
        self._held: dict[str, FileLock] = {}

    def __enter__(self) -> Claims:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for base in list(self._held):
            self.release(base)

    def take(self, bases: Collection[str], tell: Callable[[str], None]) -> None:
        """Hold all of these bases; what others trained before they were held must then be looked for.

        Either all are held or none, so that no two drivers wait for each other. ``tell`` hears whom it waits for.
        """
        told, holder = "", self._try(bases)
        while holder is not None:
            if holder != told:
                tell(f"waiting for {holder}")
                told = holder
            time.sleep(PAUSE)
            holder = self._try(bases)

    def _try(self, bases: Collection[str]) -> str | None:
        """None if all are held now, else a base that another driver holds, with who that is; then none of them is."""
        taken: list[str] = []
        for base in sorted(set(bases) - set(self._held)):
            file = self._file(base)
            lock = FileLock(file, timeout=0)
            try:
                file.parent.mkdir(exist_ok=True)
                lock.acquire()
                file.write_text(f"{os.getpid()} {self._sweep}")
            except Timeout:
                for one in taken:
                    self.release(one)
                return f"base {base}, which {_holder(file)} trains"
            except OSError as error:
                raise refused(file.parents[1], error) from error
            self._held[base] = lock
            taken.append(base)
        return None

    def release(self, base: str) -> None:
        """The base is over, or not ours to train after all."""
        lock = self._held.pop(base, None)
        if lock is not None:
            lock.release()

    def _file(self, base: str) -> Path:
        return data_folder() / "locks" / f"base.{base}.{self._place}.lock"


def _holder(file: Path) -> str:
    """Who holds a lock, as far as its file tells."""
    try:
        process, _, sweep = file.read_text(errors="replace").strip().partition(" ")
    except OSError:
        process, sweep = "", ""
    return f"sweep '{sweep}' (process {process})" if process and sweep else "another process"
