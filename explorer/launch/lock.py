"""One driver per sweep on a machine: two would write the same runs."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from explorer.errors import UserError
from explorer.folders import data_folder

__all__ = ["sweep_lock"]


@contextmanager
def sweep_lock(name: str) -> Iterator[None]:
    """Hold the sweep while the block runs; the system lets go when the process dies, however it dies."""
    folder = data_folder() / "locks"
    folder.mkdir(exist_ok=True)
    with (folder / f"{name}.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise UserError(
                f"sweep '{name}' is running already (process {holder}); wait for it or stop it"
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
