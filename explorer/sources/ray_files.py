"""Files of Ray Tune's trials, as far as they are whole: reports a line each, tables, JSON. All is bounded."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from explorer.errors import brief
from explorer.sources.scalars import as_scalar
from explorer.store.foreign import clean, decoded, load_json

__all__ = ["ERROR", "PARAMS", "PROGRESS", "RESULTS", "TAIL", "last_report", "read_json", "reports", "tail"]

RESULTS, PROGRESS, PARAMS, ERROR = "result.json", "progress.csv", "params.json", "error.txt"

LARGEST = 1 << 28
"""Bytes of a file that is read whole."""
TAIL, LONGEST_LINE = 1 << 16, 1 << 24
"""Bytes at the end of a file in which its last line is looked for, at first and at most."""


def reports(folder: Path) -> Iterator[Mapping[str, Any]]:
    """All reports of a trial that are whole, in order; of a file that is too large none."""
    file = folder / RESULTS
    if _size(file):
        with file.open("rb") as lines:
            while line := lines.readline(LONGEST_LINE):
                told = load_json(decoded(line))
                if isinstance(told, dict):
                    yield told
    elif _size(folder / PROGRESS):
        text = decoded((folder / PROGRESS).read_bytes())
        yield from (_row(row) for row in csv.DictReader(io.StringIO(text)))


def last_report(folder: Path, faults: list[str]) -> Mapping[str, Any]:
    """The last report that is whole; a torn one after it is told."""
    for name in (RESULTS, PROGRESS):
        file = folder / name
        try:
            found, torn = _last_line(file) if name == RESULTS else _last_row(file)
        except OSError:
            continue
        if torn:
            faults.append(f"the end of {name} of {brief(clean(folder.name), 60)}, which is torn")
        if found is not None:
            return found
    return {}


def _last_line(file: Path) -> tuple[Mapping[str, Any] | None, bool]:
    """The last line that is JSON, and whether one after it is none."""
    room, size = TAIL, file.stat().st_size
    while True:
        lines = tail(file, room).splitlines()
        whole = lines if room >= size else lines[1:]
        for number, line in enumerate(reversed(whole)):
            told = load_json(decoded(line))
            if isinstance(told, dict):
                return told, number > 0
        if room >= min(size, LONGEST_LINE):
            return None, size > 0
        room *= 16


def _last_row(file: Path) -> tuple[Mapping[str, Any] | None, bool]:
    with file.open("rb") as content:
        head = decoded(content.readline(LONGEST_LINE))
    names = next(csv.reader([head]), [])
    lines = tail(file, TAIL).splitlines()
    for number, line in enumerate(reversed(lines)):
        cells = next(csv.reader([decoded(line)]), [])
        if len(cells) == len(names) and cells != names:
            return _row(dict(zip(names, cells, strict=True))), number > 0
    return None, len(lines) > 1


def _row(row: Mapping[Any, Any]) -> Mapping[str, Any]:
    """Cells as what they spell; names with slashes are those of nested reports."""
    return {
        key: as_scalar(cell) for key, cell in row.items() if isinstance(key, str) and isinstance(cell, str)
    }


def tail(file: Path, room: int) -> bytes:
    """The last bytes of a file."""
    with file.open("rb") as content:
        content.seek(max(0, content.seek(0, os.SEEK_END) - room))
        return content.read(room)


def _size(file: Path) -> int:
    """Bytes of a file that may be read whole, 0 where there is none."""
    try:
        size = file.stat().st_size
    except OSError:
        return 0
    return size if size <= LARGEST else 0


def read_json(file: Path) -> Any:
    """What a file spells; None of one that is torn, too large or not there."""
    try:
        return load_json(decoded(file.read_bytes())) if _size(file) else None
    except OSError:
        return None
