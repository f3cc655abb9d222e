"""A dataset's folder: found on this machine, or else downloaded through torchvision."""

from __future__ import annotations

import logging
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trainables.datasets.places import Layout, roots

__all__ = ["download", "obtained"]

log = logging.getLogger(__name__)

_SILENCE_S = 30.0
"""A server that says nothing for so long is given up."""
_WAIT_S = 3600.0
"""For another process that downloads the same."""
_LONGEST = 400
"""Characters of what went wrong."""


def obtained(layout: Layout, root: str | None) -> Path:
    """The folder that holds the dataset's files; they are downloaded if no folder does.

    A root that is named and not there is a slip of the pen, not a place to download to.
    """
    if root is not None and not Path(root).expanduser().is_dir():
        raise ValueError(
            f"dataset.root must be a folder on the machine that trains, and there is none at {root}; correct it, or "
            f"make it if {layout.title} is to be downloaded there"
        )
    found = layout.find(root)
    if found is not None:
        return found
    sought = layout.sought(root)
    try:
        download(layout, _writable(roots(root)), root)
    except Exception as error:  # of the network, the disk, or torchvision, which raises many kinds
        raise ValueError(
            f"{layout.title} was not found: {sought}; nor could it be downloaded ({_said(error)}); {layout.advice}"
            "put these files into one of the folders, or name theirs in dataset.root or TRADEOFF_DATA"
        ) from error
    found = layout.find(root)
    if found is None:
        raise ValueError(f"{layout.title} was downloaded, but not all of it is there: {sought}; get it again")
    return found


def _said(error: Exception) -> str:
    """Kind and text of an exception on one line; torchvision writes a line for every mirror."""
    words = " ".join(str(error).split())
    return f"{type(error).__name__}: {words if len(words) <= _LONGEST else words[:_LONGEST] + '…'}"


def download(layout: Layout, folder: Path, root: str | None = None) -> None:
    """Into ``folder``, whole or not at all, once for all processes of a machine; torchvision compares checksums."""
    import torchvision.datasets
    from filelock import FileLock

    with FileLock(folder / f".{layout.kind}.lock", timeout=_WAIT_S):
        if layout.find(root) is not None:  # another process was first
            return
        log.warning("%s is not here: downloading it into %s", layout.title, folder)
        with tempfile.TemporaryDirectory(prefix=f".{layout.kind}.", dir=folder) as making, _patience():
            getattr(torchvision.datasets, layout.kind)(making, download=True)
            _move(Path(making), folder)


def _move(source: Path, target: Path) -> None:
    """File by file, the deepest first: lists come after the images they name."""
    files = [path.relative_to(source) for path in source.rglob("*") if path.is_file()]
    for file in sorted(files, key=lambda file: -len(file.parts)):
        (target / file).parent.mkdir(parents=True, exist_ok=True)
        (source / file).replace(target / file)


def _writable(folders: list[Path]) -> Path:
    """The first folder in which a file can be made."""
    errors = []
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError as error:
            errors.append(error)
    raise errors[-1]


@contextmanager
def _patience() -> Iterator[None]:
    """Torchvision sets no limit of time to what it asks of the network."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(_SILENCE_S)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)
