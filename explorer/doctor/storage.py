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
from explorer.launch.places import storage_place
from explorer.storage import local_folder, open_files, shown_storage

__all__ = ["check_storage"]

_LITTLE = 1e9
"""Bytes: a sweep of images leaves as much in checkpoints before one has looked twice."""


def check_storage(subject: Subject) -> Iterator[Finding]:
    """The data folder and every place of checkpoints: can be written, and a folder has room. O(places)."""
    try:
        home = data_folder()
    except UserError as error:
        yield Finding("data folder", "problem", str(error), "set TRADEOFF_HOME to another")
        return
    yield _place("data folder", home, "set TRADEOFF_HOME to another folder, or make room")
    for place in dict.fromkeys(map(storage_place, subject.storages)):
        folder = local_folder(place)
        if folder is None:
            subject.tell(f"asking {shown_storage(place)}")
            yield _far(place)
        elif folder.exists() or folder != home / "checkpoints":
            yield _place("checkpoints", folder, "set resources.storage to another folder, or make room")


def _far(place: str) -> Finding:
    """An object store: a file can be written there, and removed."""
    try:
        open_files(place).check()
    except OSError as error:
        told = f"{shown_storage(place)} cannot be written ({error.strerror or root_cause(error)})"
        return Finding("checkpoints", "problem", told, "look at the store's address and your credentials")
    return Finding("checkpoints", "ok", f"{shown_storage(place)} can be written")


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
