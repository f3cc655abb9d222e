"""A sweep of a SQLite store read without MLflow, and looked at again for the price of what changed.

The table is the one that MLflow's own reading gives. Where something stands in the file that MLflow would not have
written, ``Odd`` is raised, and MLflow is to read it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from explorer.results.runs import identity_of, trial_of
from explorer.results.table import Trial
from explorer.store import schema, swift
from explorer.store.connection import LARGEST, collector_paused
from explorer.store.runs import StoredRun, completeness

__all__ = ["Elsewhere", "Known", "Trials", "local_artifact", "swift_parents"]


class Known(NamedTuple):
    """A run as it was last read, and what told it apart then."""

    told: tuple[object, ...]
    identity: str
    rank: tuple[bool, int, int, str]
    trial: Trial
    artifact_uri: str


def swift_parents(link: sqlite3.Connection, experiment: str | None) -> list[tuple[StoredRun, str]]:
    """The runs of all sweeps, oldest first, each with the name of its experiment."""
    names = swift.experiments(link)
    rows = swift.living(link, None, (schema.KIND, "sweep"))
    wanted = [row for row in rows if experiment in (None, names.get(str(row.experiment_id)))]
    return [(run, names[run.experiment_id]) for run in swift.runs_of(link, wanted, whole=False)]


@dataclass
class Trials:
    """The trials of a sweep; ``look`` reads those whose run has changed, and keeps the others as they are.

    Attributes:
        known: the runs as they were last read, oldest first.
        eager: whether changes are expected. If not, the first look does without what tells them, and if there is news
            after all, everything is read a second time.
    """

    known: dict[str, Known] = field(default_factory=dict)
    eager: bool = True

    def look(self, link: sqlite3.Connection, experiment: str, parent: str) -> None:
        """O(runs) for the comparison, some 30 µs each; then as much as reading those that changed takes."""
        with collector_paused():
            rows = swift.living(link, experiment, (schema.PARENT, parent))
            # Told before they are read: what is written meanwhile is news again next time.
            told = swift.prints(link, rows) if self.known or self.eager else {}
            old = {run: one.told for run, one in self.known.items()}
            changed = [row for row in rows if row.run_id not in old or old[row.run_id] != told[row.run_id]]
            fresh = {
                run.run_id: _known(run, told.get(run.run_id, ())) for run in swift.runs_of(link, changed)
            }
        self.known = {row.run_id: fresh.get(row.run_id) or self.known[row.run_id] for row in rows}

    def gathered(self) -> tuple[list[Trial], list[str]]:
        """The trials in the order in which they were begun, and what could not be read. Of twins the most complete."""
        by_identity: dict[str, Known] = {}
        faults = []
        for run_id, one in self.known.items():
            if not one.identity:
                faults.append(f"run {run_id}, which has no tag {schema.TRIAL}")
            elif one.identity not in by_identity or one.rank < by_identity[one.identity].rank:
                by_identity[one.identity] = one
        return [one.trial for one in by_identity.values()], faults

    def places(self) -> Mapping[str, str]:
        """Where the artifacts of each run lie."""
        return {run_id: one.artifact_uri for run_id, one in self.known.items()}


def _known(run: StoredRun, told: tuple[object, ...]) -> Known:
    return Known(told, identity_of(run), completeness(run), trial_of(run), run.artifact_uri)


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
