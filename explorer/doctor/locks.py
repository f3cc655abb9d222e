"""Files of locks that nobody holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from filelock import FileLock, Timeout

from explorer.doctor.finding import Finding, Subject
from explorer.folders import data_folder
from explorer.words import counted

__all__ = ["check_locks"]


def check_locks(subject: Subject) -> Iterator[Finding]:
    """The system lets go of a lock when its process dies; its file stays, and hinders nobody. O(files)."""
    held: list[Path] = []
    left: list[Path] = []
    for file in sorted((data_folder() / "locks").glob("*.lock")):
        (left if _is_free(file) else held).append(file)
    held_words = f"{counted(len(held), 'lock')} held by processes that run"
    if left:
        yield Finding(
            "locks", "note", f"{held_words}; {counted(len(left), 'file')} of locks that nobody holds",
            "they hinder nobody; --fix deletes them", lambda: _delete(left),
        )  # fmt: skip
    else:
        yield Finding("locks", "ok", held_words)


def _is_free(file: Path) -> bool:
    try:
        with FileLock(file, timeout=0):
            return True
    except (Timeout, OSError):
        return False


def _delete(files: Sequence[Path]) -> str:
    """Each while we hold it: whoever comes then makes a new file."""
    gone = 0
    for file in files:
        try:
            with FileLock(file, timeout=0):
                file.unlink(missing_ok=True)
                gone += 1
        except (Timeout, OSError):
            continue  # somebody's again
    return f"{counted(gone, 'file')} of locks deleted"
