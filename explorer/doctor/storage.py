"""Whether sweeps can write where they keep things, and whether there is room."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile

from explorer.doctor.finding import Finding, Subject, size_words
from explorer.errors import UserError, root_cause
from explorer.folders import data_folder
from explorer.launch.places import storage_folder

__all__ = ["check_storage"]

_LITTLE = 1e9
"""Bytes: a sweep of images leaves as much in checkpoints before one has looked twice."""


def check_storage(subject: Subject) -> Iterator[Finding]:
    """The data folder and every folder of checkpoints: can be written, and has room. O(folders)."""
    try:
        home = data_folder()
    except UserError as error:
        yield Finding("data folder", "problem", str(error), "set TRADEOFF_HOME to another")
        return
    yield _place("data folder", home, "set TRADEOFF_HOME to another folder, or make room")
    for storage in dict.fromkeys(subject.storages):
        folder = storage_folder(storage)
        if storage is not None or folder.exists():
            yield _place("checkpoints", folder, "set resources.storage to another folder, or make room")


def _place(about: str, folder: Path, remedy: str) -> Finding:
    try:
        there = _nearest(folder)
        with TemporaryFile(dir=there):  # permissions tell only half: a read-only file system has them too
            pass
        free = shutil.disk_usage(there).free
    except OSError as error:
        return Finding(about, "problem", f"'{folder}' cannot be written ({root_cause(error)})", remedy)
    if free < _LITTLE:
        return Finding(about, "problem", f"'{folder}' has {size_words(free)} of room", remedy)
    return Finding(about, "ok", f"'{folder}', {size_words(free)} free")


def _nearest(folder: Path) -> Path:
    """The folder, or the one above it in which it would be made."""
    while not os.path.lexists(folder) and folder != folder.parent:
        folder = folder.parent
    return folder
