"""What a path is before it is opened: a file with bytes, a folder, or a sentence."""

from __future__ import annotations

import os
import stat
from contextlib import AbstractContextManager
from pathlib import Path

from explorer.errors import UserError, brief, telling

__all__ = ["file_size", "is_folder", "named", "reason", "refusing"]

WHAT = "give a .npy, .npz or .pt file or a folder of images"


def named(path: Path) -> str:
    """A path as it stands in a sentence: printable, and at most 100 characters."""
    return brief(str(path), 100)


def reason(error: BaseException) -> str:
    """What an error says, as a part of a sentence: its first line, or its kind if it says nothing."""
    said = isinstance(error, OSError) and error.strerror  # its text repeats the path
    lines = str(said or error).strip().splitlines()
    return brief(lines[0] if lines else type(error).__name__, 80)


def is_folder(path: Path) -> bool:
    """Whether ``path`` is a folder; one that is not there, or that we may not look at, is refused."""
    return stat.S_ISDIR(_status(path).st_mode)


def file_size(path: Path) -> int:
    """Bytes of a plain file; pipes and devices, which may never end, and empty files are refused unopened."""
    status = _status(path)
    if not stat.S_ISREG(status.st_mode):
        raise UserError(f"{named(path)} must be a plain file, not a folder, pipe or device; {WHAT}")
    if status.st_size == 0:
        raise UserError(f"{named(path)} must hold something, but it is an empty file; make it again")
    return status.st_size


def refusing(path: Path, should: str) -> AbstractContextManager[None]:
    """Whatever a library trips over in a damaged file, as one sentence that says what it ``should`` hold."""
    return telling(lambda error: f"{named(path)} must hold {should}, but reading it failed: {reason(error)}")


def _status(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except FileNotFoundError:
        raise UserError(f"{named(path)} does not exist; {WHAT}") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{named(path)} cannot be looked at: {reason(error)}; {WHAT}") from error
