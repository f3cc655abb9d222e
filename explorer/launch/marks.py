"""Whether a node of the cluster sees the folder in which the driver keeps checkpoints: by a mark that lies there."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

__all__ = ["is_seen", "leave_mark"]

_NAME = ".tradeoff-mark"


def leave_mark(folder: Path) -> str:
    """Leave a mark in a folder that can be written → its token."""
    token = uuid4().hex
    (folder / _NAME).write_text(token)
    return token


def is_seen(folder: Path, token: str) -> bool:
    """Whether the folder of that name, as it is seen from here, is the one with that mark."""
    try:
        return (folder / _NAME).read_text() == token
    except OSError:
        return False
