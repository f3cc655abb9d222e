"""What lies among the checkpoints and belongs to no trial, or is of no use."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from explorer.doctor.finding import Finding, Subject, size_words
from explorer.launch.places import storage_place
from explorer.storage import local_folder, open_files, shown_storage
from explorer.store.holders import is_alive
from explorer.words import counted

__all__ = ["check_checkpoints"]

_PARTIAL = re.compile(r"\..+\.(?P<process>[0-9]{1,10})(-[0-9a-f]+)?\.partial")
_LEFT_S = 600.0
"""A file that is being written is younger: its process may be one of another node, whose number says nothing here."""
_ASIDE = re.compile(r".+\.aside-[0-9]+")
_TRIAL = re.compile(r"[0-9a-f]{12}")


def check_checkpoints(subject: Subject, known: Collection[str]) -> Iterator[Finding]:
    """Per folder: states of trials that the store does not know, half files of dead processes, files set aside.

    ``known`` are identities of trials. Folders of trials are listed once: O(files).
    """
    for place in dict.fromkeys(map(storage_place, subject.storages)):
        folder = local_folder(place)
        if folder is None:
            yield from _far(place, known, every=subject.sweep is None)
        elif folder.is_dir():
            yield from _folder(folder, known, every=subject.sweep is None)


def _far(place: str, known: Collection[str], every: bool) -> Iterator[Finding]:
    """In an object store files appear whole, so there are no halves; sizes would cost a request each."""
    try:
        found = open_files(place).listing()
    except OSError:
        return  # told where places are looked at
    asked = {trial: names for trial, names in found.items() if every or trial in known}
    strangers = sorted(set(asked) - set(known))
    aside = [name for names in asked.values() for name in names if _ASIDE.fullmatch(name)]
    if strangers:
        yield Finding(
            "checkpoints", "note",
            f"states of {counted(len(strangers), 'trial')} unknown to this store in {shown_storage(place)}",
            f"they may be of sweeps in another store; if not, delete them, e.g. {strangers[0]}",
        )  # fmt: skip
    if aside:
        yield Finding(
            "checkpoints", "note", f"{counted(len(aside), 'file')} set aside in {shown_storage(place)}",
            f"damaged or of another version; delete them when you have looked, e.g. {aside[0]}",
        )  # fmt: skip
    if not strangers and not aside:
        yield Finding(
            "checkpoints", "ok", f"states of {counted(len(asked), 'trial')} in {shown_storage(place)}"
        )


def _folder(folder: Path, known: Collection[str], every: bool) -> Iterator[Finding]:
    trials = [place for place in sorted(folder.iterdir()) if _TRIAL.fullmatch(place.name) and place.is_dir()]
    asked = trials if every else [place for place in trials if place.name in known]
    files = {place: [file for file in place.iterdir() if file.is_file()] for place in asked}
    halves = [file for inside in files.values() for file in inside if _is_left(file)]
    aside = [file for inside in files.values() for file in inside if _ASIDE.fullmatch(file.name)]
    strangers = {place: inside for place, inside in files.items() if place.name not in known and inside}
    if halves:
        yield Finding(
            "checkpoints", "problem",
            f"{counted(len(halves), 'half file')} of dead processes, {_size(halves)}, in '{folder}'",
            "--fix deletes them", lambda: _delete(halves),
        )  # fmt: skip
    if strangers:
        inside = [file for inside in strangers.values() for file in inside]
        yield Finding(
            "checkpoints", "note",
            f"states of {counted(len(strangers), 'trial')} unknown to this store, {_size(inside)}, in '{folder}'",
            f"they may be of sweeps in another store; if not, delete them, e.g. {next(iter(strangers)).name}",
        )  # fmt: skip
    if aside:
        yield Finding(
            "checkpoints", "note", f"{counted(len(aside), 'file')} set aside in '{folder}', {_size(aside)}",
            f"damaged or of another version; delete them when you have looked, e.g. {aside[0].name}",
        )  # fmt: skip
    if not halves and not strangers and not aside:
        inside = [file for one in files.values() for file in one]
        yield Finding("checkpoints", "ok", f"states of {counted(len(asked), 'trial')}, {_size(inside)}")


def _is_left(file: Path) -> bool:
    match = _PARTIAL.fullmatch(file.name)
    if match is None or is_alive(int(match["process"])):
        return False
    try:
        return time.time() - file.stat().st_mtime > _LEFT_S
    except OSError:
        return False  # gone meanwhile


def _size(files: Sequence[Path]) -> str:
    return size_words(sum(file.lstat().st_size for file in files if file.exists()))


def _delete(files: Sequence[Path]) -> str:
    size = _size(files)
    for file in files:
        file.unlink(missing_ok=True)
    return f"{counted(len(files), 'half file')} deleted, {size}"
