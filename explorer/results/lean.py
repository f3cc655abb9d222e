"""A sweep as a launch wants to know it: who is over and how it was read, without loading MLflow."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from explorer.errors import UserError
from explorer.results.runs import identity_of, sweep_of, trial_of
from explorer.results.table import Trial
from explorer.store import schema
from explorer.store.addresses import sqlite_file
from explorer.store.connection import LARGEST
from explorer.store.lean import lean_runs
from explorer.store.runs import StoredRun

__all__ = ["LeanSweep", "lean_sweep", "local_file"]

_TAGS = (schema.TRIAL, schema.LAYOUT, schema.READINGS, schema.STOPPED, schema.REASON, schema.OUTCOME)


@dataclass(frozen=True)
class LeanSweep:
    """A sweep's own run, and its trials with what was asked for."""

    run: StoredRun
    trials: tuple[Trial, ...]

    def is_closed(self, tags: Mapping[str, str], files: Mapping[str, str]) -> bool:
        """Whether an end was written, and opening it with these tags and files and closing it would change nothing."""
        if self.run.status != "finished" or any(trial.status == "running" for trial in self.trials):
            return False
        if any(self.run.tags.get(tag) != value for tag, value in tags.items()):
            return False
        return all(local_file(self.run, name) == text.encode() for name, text in files.items())


def local_file(run: StoredRun, name: str) -> bytes | None:
    """Content of a run's artifact in a folder of this machine; None of any other, or of one that is too large."""
    place = urlsplit(run.artifact_uri)
    if place.scheme not in ("", "file") or place.netloc:
        return None
    file = Path(unquote(place.path)) / name
    try:
        return file.read_bytes() if file.stat().st_size <= LARGEST[name] else None
    except (OSError, ValueError):
        return None


def lean_sweep(uri: str, experiment: str, name: str, metrics: Collection[str]) -> LeanSweep | None:
    """The sweep of that name in a SQLite store; None where only the whole table tells what became of its trials.

    That is: in other stores; with runs of an older layout, or several of one trial; with a finished trial that has none
    of ``metrics``; and where the file cannot be read so. O(trials).
    """
    file = sqlite_file(uri)
    if file is None or not file.is_file():
        return None
    try:
        parents = lean_runs(file, experiment, (schema.KIND, "sweep"))
        run = next((run for run in parents if sweep_of(run) == name), None)
        if run is None:
            return None
        runs = lean_runs(file, experiment, (schema.PARENT, run.run_id), _TAGS, "dataset.", metrics)
    except (sqlite3.Error, UnicodeDecodeError, UserError):
        return None
    if any(not identity_of(one) or one.tags.get(schema.LAYOUT) != schema.LAYOUT_NOW for one in runs):
        return None
    trials = tuple(map(trial_of, runs))
    plain = all(trial.metrics for trial in trials if trial.status == "finished")
    return LeanSweep(run, trials) if plain and len({t.id for t in trials}) == len(trials) else None
