"""Whole runs of a SQLite store, read without MLflow, which takes seconds to load and makes fifty objects of every run.

Only what is as MLflow writes it is read so. Where text, a number or a time stands that MLflow would not have written,
``Odd`` is raised and the store is left to MLflow, which says what is wrong. O(runs) rows of each table, by its keys.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from explorer.store.database import opened
from explorer.store.runs import StoredRun, status_of
from explorer.store.versions import newest_version

__all__ = [
    "COLUMNS",
    "Odd",
    "Row",
    "experiments",
    "histories",
    "history",
    "living",
    "outlines",
    "place_of",
    "prints",
    "row_of",
    "run_of",
    "runs_of",
    "sound",
    "tag_of",
]

T = TypeVar("T")

CHUNK = 2000
"""Runs of one query: nobody can write while one is answered."""

_STATUSES = frozenset({"SCHEDULED", "FAILED", "FINISHED", "RUNNING", "KILLED"})
COLUMNS = (
    "runs.run_uuid, runs.experiment_id, runs.status, runs.start_time, runs.end_time, runs.artifact_uri, runs.name, "
    "runs.user_id"
)
"""Of a run's own row, in the order of ``Row``."""
_KINDS = {(str, int, str, int, ended, str, str, str) for ended in (int, type(None))}
"""Of what MLflow writes there."""
_LOW = 2**32 - 1
"""Bits of whole numbers that are summed: SQLite's sums end at 64."""
_END = "'\x1f'"
"""Between texts in a query: a literal, since SQLite would call a function for every row."""
_PRINTS = tuple(
    f"SELECT run_uuid, {sums} FROM {table} WHERE run_uuid IN (SELECT value FROM json_each(?)) GROUP BY run_uuid"
    for table, sums in (
        ("tags", f"'tags', count(value), group_concat(key || {_END} || coalesce(value, ''), {_END})"),
        ("params", f"'params', count(*), group_concat(value, {_END})"),
        (
            "latest_metrics",
            f"count(*), sum(timestamp & {_LOW}), sum(step & {_LOW}), total(value), "
            "total(value / (1 + abs(value))), total(is_nan)",
        ),
    )
)
"""What is told of a run by each of its tables."""


class Odd(Exception):
    """What only MLflow may read, or refuse."""


class Row(NamedTuple):
    """A run's own row."""

    run_id: str
    experiment_id: int
    status: str
    started: int
    ended: int | None
    artifact_uri: str
    name: str
    user: str


@contextmanager
def sound(file: Path) -> Iterator[sqlite3.Connection]:
    """The database of a store that is sure to be one of the installed MLflow's; ``Odd`` if it is not, or is damaged."""
    try:
        with opened(file) as link:
            check(link)
            yield link
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise Odd(str(error)) from error


def check(link: sqlite3.Connection) -> None:
    """Refuse tables that are not those of the installed MLflow; from here on text that is none is refused too."""
    link.text_factory = str
    if link.execute("SELECT version_num FROM alembic_version").fetchall() != [(_newest(),)]:
        raise Odd("another version of MLflow's tables")
    if not link.execute("SELECT 1 FROM experiments LIMIT 1").fetchone():
        raise Odd("no experiment")
    told = {name for _, name, *_ in link.execute("PRAGMA table_info(experiments)")}
    if (
        "workspace" in told
        and link.execute("SELECT 1 FROM experiments WHERE workspace IS NOT 'default' LIMIT 1").fetchone()
    ):
        raise Odd("workspaces")


@cache
def _newest() -> str | None:
    return newest_version()


def experiments(link: sqlite3.Connection) -> dict[str, str]:
    """Names of the living experiments, by id."""
    found = link.execute("SELECT experiment_id, name FROM experiments WHERE lifecycle_stage = 'active'")
    return {str(_an(int, number)): _an(str, name) for number, name in found}


def outlines(link: sqlite3.Connection) -> list[tuple[str, str, int, bool, int]]:
    """Living experiments: id, name, how many living runs, whether one is running, and the newest time of them."""
    query = (
        "SELECT place.experiment_id, place.name, count(*), total(runs.status IN ('RUNNING', 'SCHEDULED')), "
        "max(max(coalesce(runs.start_time, 0), coalesce(runs.end_time, 0))) "
        "FROM experiments AS place JOIN runs USING (experiment_id) "
        "WHERE place.lifecycle_stage = 'active' AND runs.lifecycle_stage = 'active' GROUP BY place.experiment_id"
    )
    return [
        (str(number), _an(str, name), count, running > 0, _an(int, newest))
        for number, name, count, running, newest in link.execute(query)
    ]


def living(
    link: sqlite3.Connection,
    experiment: str | None,
    tag: tuple[str, str] | None = None,
    stage: Literal["active", "deleted"] = "active",
) -> list[Row]:
    """The living runs of an experiment, by its id, or of all living ones; those that have a tag, if one is given.

    ``stage``: those in MLflow's trash instead. Oldest first. O(runs that have the tag).
    """
    having = (
        ""
        if tag is None
        else "JOIN tags ON tags.run_uuid = runs.run_uuid AND tags.key = ? AND tags.value = ? "
    )
    where = "" if experiment is None else "AND runs.experiment_id = ? "
    query = (
        f"SELECT {COLUMNS} FROM runs JOIN experiments USING (experiment_id) {having}"
        f"WHERE runs.lifecycle_stage = ? AND experiments.lifecycle_stage = 'active' {where}"
        "ORDER BY runs.start_time, runs.run_uuid"
    )
    asked = (*(tag or ()), stage, *(() if experiment is None else (int(experiment),)))
    return [row_of(found) for found in link.execute(query, asked).fetchall()]


def row_of(found: tuple[object, ...]) -> Row:
    """A run's row from its ``COLUMNS``; ``Odd`` where MLflow would not have written them."""
    kinds = tuple(map(type, found))
    if kinds not in _KINDS or found[2] not in _STATUSES:
        raise Odd("a run's row")
    return Row._make(found)


def _an(kind: type[T], value: object) -> T:
    if type(value) is not kind:
        raise Odd(f"{kind.__name__} expected")
    return value


def runs_of(link: sqlite3.Connection, rows: Sequence[Row], whole: bool = True) -> list[StoredRun]:
    """The runs of these rows with all that the store has of them; without parameters and metrics if not ``whole``."""
    found: list[StoredRun] = []
    for start in range(0, len(rows), CHUNK):
        part = rows[start : start + CHUNK]
        ids = json.dumps([row.run_id for row in part])
        tags = _texts(link, ids, "tags")
        params = _texts(link, ids, "params") if whole else {}
        metrics = _metrics(link, ids) if whole else {}
        for number, row in enumerate(part):
            values, last = metrics.get(number, ({}, None))
            found.append(run_of(row, tags.get(number, {}), params.get(number, {}), values, last))
    return found


def run_of(
    row: Row,
    tags: Mapping[str, str],
    params: Mapping[str, str],
    metrics: Mapping[str, float],
    last_step: int | None,
) -> StoredRun:
    """A run from its row and what stands under its id elsewhere."""
    return StoredRun(
        run_id=row.run_id,
        experiment_id=str(row.experiment_id),
        status=status_of(row.status),
        started=row.started,
        ended=row.ended or 0,
        artifact_uri=row.artifact_uri,
        tags=tags,
        params=params,
        metrics=metrics,
        last_step=last_step,
    )


def _columns(link: sqlite3.Connection, ids: str, table: str, *wanted: str) -> list[tuple[Any, ...]]:
    """Columns of a table's rows for these runs, run by run; the first says which run, by its number among them."""
    # The order of the join is fixed: run after run, each by the index of the table.
    query = (
        f"SELECT CAST(these.key AS INTEGER), {', '.join(wanted)} "
        f"FROM json_each(?) AS these CROSS JOIN {table} ON {table}.run_uuid = these.value"
    )
    return list(zip(*link.execute(query, (ids,)).fetchall(), strict=True))


def _spans(numbers: Sequence[int]) -> Iterator[tuple[int, slice]]:
    """Where the rows of every run stand."""
    start = 0
    for number, count in Counter(numbers).items():
        yield number, slice(start, start + count)
        start += count


def _texts(link: sqlite3.Connection, ids: str, table: str) -> dict[int, dict[str, str]]:
    """Tags or parameters by run."""
    found = _columns(link, ids, table, f"{table}.key", f"{table}.value")
    if not found:
        return {}
    numbers, keys, values = found
    if {*map(type, keys), *map(type, values)} != {str}:
        raise Odd("text expected")
    return {number: dict(zip(keys[span], values[span], strict=True)) for number, span in _spans(numbers)}


def _metrics(link: sqlite3.Connection, ids: str) -> dict[int, tuple[dict[str, float], int]]:
    """Last values by run, NaN where it was that, and the newest step of each."""
    wanted = ("latest_metrics.key", "latest_metrics.value", "is_nan", "step")
    found = _columns(link, ids, "latest_metrics", *wanted)
    if not found:
        return {}
    numbers, keys, values, are_nan, steps = found
    kinds = [set(map(type, column)) for column in (keys, values, are_nan, steps)]
    if kinds != [{str}, {float}, {int}, {int}] or not {0, 1} >= set(are_nan):
        raise Odd("number expected")
    if any(are_nan):
        values = tuple(math.nan if gone else value for value, gone in zip(values, are_nan, strict=True))
    return {
        number: (dict(zip(keys[span], values[span], strict=True)), max(steps[span]))
        for number, span in _spans(numbers)
    }


def prints(link: sqlite3.Connection, rows: Sequence[Row]) -> dict[str, str]:
    """What tells whether a run was written to since: its row, its tags, its parameters, and sums over its metrics.

    The same in every process, so that what one has read is of use to the next.

    Parameters are taken as they are: people mend in the tables what MLflow does not let them. Metrics are summed as
    they are and bounded: MLflow stores an infinite one as the greatest float, which swallows all others.
    O(rows of these runs), some eight times as quick as reading them.
    """
    found: dict[str, str] = {}
    for start in range(0, len(rows), CHUNK):
        part = rows[start : start + CHUNK]
        ids = json.dumps([row.run_id for row in part])
        told: dict[str, list[object]] = {row.run_id: [*row] for row in part}
        for query in _PRINTS:
            for run, *sums in link.execute(query, (ids,)):
                told[run] += sums
        found |= {run: _digest("\0".join(map(str, sums))) for run, sums in told.items()}
    return found


def _digest(text: str) -> str:
    """64 bits of a text, which no two that differ share; Python's own differ from process to process."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def history(link: sqlite3.Connection, run: str, key: str) -> list[tuple[int, float]]:
    """(step, value) of a metric as they were told, NaN where it was that; ``Odd`` where there is no such run."""
    if not link.execute("SELECT 1 FROM runs WHERE run_uuid = ?", (run,)).fetchone():
        raise Odd("no such run")
    query = "SELECT step, value, is_nan FROM metrics WHERE run_uuid = ? AND key = ? ORDER BY timestamp, step, value"
    return [
        (_an(int, step), float("nan") if _an(int, is_nan) else _an(float, value))
        for step, value, is_nan in link.execute(query, (run, key))
    ]


def histories(link: sqlite3.Connection, run: str) -> dict[str, list[tuple[int, int, float]]]:
    """(step, time, value) of every point of every metric, NaN where it was that. O(points)."""
    found: dict[str, list[tuple[int, int, float]]] = {}
    query = (
        "SELECT key, step, timestamp, value, is_nan FROM metrics WHERE run_uuid = ? "
        "ORDER BY key, step, timestamp, is_nan, value"
    )
    for key, step, moment, value, is_nan in link.execute(query, (run,)):
        number = math.nan if _an(int, is_nan) else _an(float, value)
        found.setdefault(_an(str, key), []).append((_an(int, step), _an(int, moment), number))
    return found


def place_of(link: sqlite3.Connection, run: str) -> str:
    """Where the artifacts of a run lie; ``Odd`` where there is no such run."""
    found = link.execute("SELECT artifact_uri FROM runs WHERE run_uuid = ?", (run,)).fetchone()
    return _an(str, found and found[0])


def tag_of(link: sqlite3.Connection, run: str, key: str) -> str:
    """A tag of a run, empty where it has none; ``Odd`` where there is no such run."""
    place_of(link, run)
    found = link.execute("SELECT value FROM tags WHERE run_uuid = ? AND key = ?", (run, key)).fetchone()
    return _an(str, found[0]) if found else ""
