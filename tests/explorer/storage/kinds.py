"""Every kind of files by one text, so that another process can open them too."""

from __future__ import annotations

from pyarrow.fs import LocalFileSystem

from explorer.storage import open_files
from explorer.storage.arrow_files import ArrowFiles
from trainables.training.state_files import StateFiles

__all__ = ["opened"]


def opened(storage: str) -> StateFiles:
    """``moved FOLDER``: a file system that shows files while they are written, so that they are moved into place."""
    kind, _, folder = storage.partition("moved ")
    return open_files(storage) if kind or not folder else ArrowFiles(LocalFileSystem(), folder, folder)
