"""A sweep of a database that is read straight, and looked at again for the price of what changed.

The table is the one that MLflow's own reading gives. Where something stands in the tables that MLflow would not have
written, ``Odd`` is raised, and MLflow is to read them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

from explorer.results.known import Known, known_of
from explorer.store import schema, swift
from explorer.store.connection import LARGEST, collector_paused
from explorer.store.runs import StoredRun
from explorer.store.swift import Row

__all__ = ["Elsewhere", "FileRows", "Rows", "local_artifact", "looked_at", "swift_parents"]


class Rows(Protocol):
    """A database that tells what it holds: ``explorer.store.postgres.ServerRows``, or a file's ``FileRows``."""

    def living(self, experiment: str, tag: tuple[str, str]) -> list[Row]:
        """The living runs of an experiment that have a tag, oldest first."""

    def prints(self, rows: Sequence[Row]) -> dict[str, str]:
        """What tells whether anybody has written to a run since."""

    def runs_of(self, rows: Sequence[Row]) -> list[StoredRun]:
        """The runs of these rows with all that there is of them."""


class FileRows:
    """A SQLite file."""

    def __init__(self, link: sqlite3.Connection) -> None:
        self._link = link

    def living(self, experiment: str, tag: tuple[str, str]) -> list[Row]:
        """O(runs that have the tag)."""
        return swift.living(self._link, experiment, tag)

    def prints(self, rows: Sequence[Row]) -> dict[str, str]:
        """O(rows of these runs), some ten times as quick as reading them."""
        return swift.prints(self._link, rows)

    def runs_of(self, rows: Sequence[Row]) -> list[StoredRun]:
        """O(rows of these runs)."""
        return swift.runs_of(self._link, rows)


def swift_parents(link: sqlite3.Connection, experiment: str | None) -> list[tuple[StoredRun, str]]:
    """The runs of all sweeps, oldest first, each with the name of its experiment."""
    names = swift.experiments(link)
    rows = swift.living(link, None, (schema.KIND, "sweep"))
    wanted = [row for row in rows if experiment in (None, names.get(str(row.experiment_id)))]
    return [(run, names[run.experiment_id]) for run in swift.runs_of(link, wanted, whole=False)]


def looked_at(rows: Rows, experiment: str, parent: str, before: Mapping[str, Known]) -> dict[str, Known]:
    """The runs of a sweep, oldest first; of those that were known ``before`` only the changed are read.

    O(runs) for the comparison, some 60 µs each; then as much as reading those that changed takes.
    """
    with collector_paused():
        living = rows.living(experiment, (schema.PARENT, parent))
        # Told before they are read: what is written meanwhile is news again next time.
        told = rows.prints(living)
        changed = [
            row for row in living if row.run_id not in before or before[row.run_id].told != told[row.run_id]
        ]
        fresh = {run.run_id: known_of(run, told[run.run_id]) for run in rows.runs_of(changed)}
    return {row.run_id: fresh.get(row.run_id) or before[row.run_id] for row in living}


class Elsewhere(Exception):
    """Artifacts that lie in no folder of this machine, or that MLflow may refuse."""


def local_artifact(uri: str, name: str) -> bytes | None:
    """Content of a file among the artifacts in a folder of this machine; None if there is none.

    One too large to be ours is refused as ``Connection.artifact`` does.
    """
    place = urlsplit(uri)
    if place.scheme == "file" and not (place.netloc or place.query or place.fragment):
        folder = Path(unquote(place.path))
    elif place.scheme == "" and uri.startswith("/"):
        folder = Path(uri)
    else:
        raise Elsewhere(uri)
    file = folder / name
    if not file.is_file():
        return None
    if file.resolve().parent != folder.resolve():  # a link that leads out of the folder
        raise Elsewhere(uri)
    size, most = file.stat().st_size, LARGEST.get(name, max(LARGEST.values()))
    if size > most:
        raise ValueError(f"it has {size:,} bytes, more than {most:,}")
    return file.read_bytes()
