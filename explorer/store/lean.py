"""Runs of a SQLite store with only what is asked for, read without MLflow.

MLflow takes seconds to load, and makes some fifty objects of every run. Whoever wants three metrics of five thousand
runs asks the file itself: O(runs) rows of each table, by its keys.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from explorer.store.database import opened
from explorer.store.foreign import as_number, as_text, as_whole
from explorer.store.runs import StoredRun, status_of
from explorer.store.versions import newest_version

__all__ = ["is_plainly_whole", "lean_runs"]

_LIVING = """
    SELECT runs.run_uuid, runs.experiment_id, runs.status, runs.start_time, runs.end_time, runs.artifact_uri
    FROM runs JOIN experiments USING (experiment_id)
    JOIN tags ON tags.run_uuid = runs.run_uuid AND tags.key = ?1 AND tags.value = ?2
    WHERE runs.lifecycle_stage = 'active' AND experiments.lifecycle_stage = 'active'
    AND (?3 IS NULL OR experiments.name = ?3)
    ORDER BY runs.start_time, runs.run_uuid
"""
_OF_THESE = (
    "SELECT {what} FROM {table} JOIN tags AS asked USING (run_uuid) WHERE asked.key = ? AND asked.value = ?"
)


def is_plainly_whole(file: Path) -> bool:
    """Whether a file is sure to be a store of the installed MLflow; where not, ``check_database`` says what it is."""
    try:
        with opened(file) as link:
            found = [
                as_text(version) for (version,) in link.execute("SELECT version_num FROM alembic_version")
            ]
            experiment = link.execute("SELECT 1 FROM experiments LIMIT 1").fetchone()
    except (sqlite3.Error, UnicodeDecodeError):
        return False
    return experiment is not None and found == [newest_version()]


def lean_runs(
    file: Path,
    experiment: str | None,
    tag: tuple[str, str],
    tags: Collection[str] = (),
    params: str = "",
    metrics: Collection[str] = (),
) -> list[StoredRun]:
    """The living runs of an experiment, or of all, that have a tag, oldest first.

    ``params``: of their parameters those that begin so, none if nothing is given.
    ``tags``: those that are wanted, all if none are named.
    A metric whose last value is no number is left out; there are no steps. Raises what SQLite does.
    """
    with opened(file) as link:
        found = list(link.execute(_LIVING, (*tag, experiment)))
        query = _OF_THESE.format(what="run_uuid, tags.key, tags.value", table="tags")
        if tags:
            query += f" AND tags.key IN ({', '.join('?' * len(tags))})"
        noted = _gathered(link.execute(query, (*tag, *tags)))
        told: dict[str, dict[str, object]] = {}
        if params:
            query = _OF_THESE.format(what="run_uuid, params.key, params.value", table="params")
            told = _gathered(
                link.execute(f"{query} AND substr(params.key, 1, ?) = ?", (*tag, len(params), params))
            )
        values: dict[str, dict[str, object]] = {}
        if metrics:
            what = "run_uuid, latest_metrics.key, iif(is_nan, NULL, latest_metrics.value)"
            query = _OF_THESE.format(what=what, table="latest_metrics")
            marks = ", ".join("?" * len(metrics))
            values = _gathered(link.execute(f"{query} AND latest_metrics.key IN ({marks})", (*tag, *metrics)))
    return [_run(row, noted, told, values) for row in found]


def _gathered(rows: Iterator[tuple[object, ...]] | sqlite3.Cursor) -> dict[str, dict[str, object]]:
    """Rows of (run, key, value) by run."""
    found: dict[str, dict[str, object]] = {}
    for run, key, value in rows:
        if value is not None:
            found.setdefault(as_text(run), {})[as_text(key)] = value
    return found


def _run(
    row: tuple[object, ...],
    tags: Mapping[str, Mapping[str, object]],
    params: Mapping[str, Mapping[str, object]],
    metrics: Mapping[str, Mapping[str, object]],
) -> StoredRun:
    run, experiment, status, started, ended, artifacts = row
    name = as_text(run)
    values = {key: as_number(value) for key, value in metrics.get(name, {}).items()}
    return StoredRun(
        run_id=name,
        experiment_id=as_text(experiment),
        status=status_of(status),
        started=as_whole(started) or 0,
        ended=as_whole(ended) or 0,
        artifact_uri=as_text(artifacts),
        tags={key: as_text(value) for key, value in tags.get(name, {}).items()},
        params={key: as_text(value) for key, value in params.get(name, {}).items()},
        metrics={key: value for key, value in values.items() if value is not None},
        last_step=None,
    )
