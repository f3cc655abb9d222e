"""Paths that a file could have, told before anything is opened."""

from __future__ import annotations

from pathlib import Path

from trainables.family import require

__all__ = ["LONGEST_NAME", "check_path"]

LONGEST_PATH = 4096
LONGEST_NAME = 255
"""Bytes of a path and of one name in it, on every file system we know."""


def check_path(name: str, path: str) -> None:
    """Refuse a path with a null byte, of an unknown user, too long or in a circle; ``name``: what it is the path of."""
    require(path.strip() != "", f"{name} must name a file or folder, got {path!r}")
    require(path.isprintable(), f"{name} must be a path without control characters, got {path!r}")
    parts = [len(part.encode("utf-8", "surrogateescape")) for part in Path(path).parts]
    require(
        max(parts, default=0) <= LONGEST_NAME and sum(parts) + len(parts) <= LONGEST_PATH,
        f"{name} must be a path of at most {LONGEST_PATH} bytes, {LONGEST_NAME} a name, got {path!r}",
    )
    try:
        whole = Path(path).expanduser()
    except RuntimeError:
        raise ValueError(
            f"{name} must begin with a user of this machine after its '~', got {path!r}; write the path out"
        ) from None
    try:
        whole.resolve()
    except RuntimeError:
        raise ValueError(f"{name} must not be a link that leads back to itself, got {path!r}") from None
