"""What takes long is made by one process and read by the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from filelock import FileLock

__all__ = ["made_once"]

T = TypeVar("T")


def made_once(path: Path, read: Callable[[Path], T | None], make: Callable[[], T]) -> T:
    """What ``read`` finds at ``path``; if that is None, what ``make`` makes, which leaves it there.

    Processes that come meanwhile wait, then read. The system lets go of a lock whose process dies. Where files cannot
    be locked, each makes its own: ``make`` has to write aside and rename.
    """
    found = read(path)
    if found is not None:
        return found
    with _locked(path):
        found = read(path)
        return make() if found is None else found


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path.with_suffix(".lock"))
    try:
        lock.acquire()
    except (OSError, NotImplementedError):  # a file system without locks
        yield
        return
    try:
        yield
    finally:
        lock.release()
