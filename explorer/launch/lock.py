"""One driver per sweep on a machine: two would write the same runs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from explorer.errors import UserError, root_cause
from explorer.folders import data_folder

__all__ = ["refused", "sweep_lock"]


@contextmanager
def sweep_lock(name: str) -> Iterator[None]:
    """Hold the sweep while the block runs; the system lets go when the process dies, however it dies."""
    file = data_folder() / "locks" / f"{name}.lock"
    lock = FileLock(file, timeout=0)
    try:
        file.parent.mkdir(exist_ok=True)
        lock.acquire()
        file.write_text(str(os.getpid()))
    except Timeout:
        holder = file.read_text().strip() or "unknown"
        raise UserError(
            f"sweep '{name}' is running already (process {holder}); wait for it or stop it"
        ) from None
    except OSError as error:
        raise refused(file.parents[1], error) from error
    try:
        yield
    finally:
        lock.release()


def refused(folder: Path, error: OSError) -> UserError:
    """A data folder in which no lock can be made."""
    return UserError(
        f"the data folder '{folder}' must be writable ({root_cause(error)}); make room there or set TRADEOFF_HOME to "
        "another"
    )
