"""Whole runs of a PostgreSQL store, read without MLflow, as ``explorer/store/swift.py`` reads a SQLite file.

Only tables of the installed MLflow are read so; of others, and where the database does not answer, ``Odd`` is raised,
and MLflow is to say what is wrong. O(runs) rows of each table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from explorer.store.pulse import Outside
from explorer.store.runs import StoredRun
from explorer.store.swift import COLUMNS, Odd, Row, row_of, run_of
from explorer.store.versions import newest_version

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["ServerRows", "is_postgres", "opened_server"]

_THESE = "run_uuid = ANY(:these)"
_STEPS = f"SELECT run_uuid, max(step) FROM latest_metrics WHERE {_THESE} GROUP BY run_uuid"
_TABLES = ("tags", "params", "latest_metrics")
_SERVER = "SELECT system_identifier, timeline_id FROM pg_control_system(), pg_control_checkpoint()"
"""Which server it is, and since which return to an earlier state: each counts transactions of its own."""
_MOMENT = "SELECT CAST(txid_current_snapshot() AS text), CAST(pg_postmaster_start_time() AS text)"
"""Which transactions are seen, all of them numbered that write anything."""


def is_postgres(uri: str) -> bool:
    """Whether an address is that of a PostgreSQL database itself."""
    return uri.partition("://")[0].split("+")[0] == "postgresql"


@contextmanager
def opened_server(uri: str) -> Iterator[ServerRows]:
    """The database of a store that is sure to be one of the installed MLflow's, as it was at one moment."""
    from sqlalchemy import create_engine
    from sqlalchemy.exc import SQLAlchemyError
    from sqlalchemy.pool import NullPool

    try:
        engine = create_engine(uri, poolclass=NullPool, isolation_level="REPEATABLE READ")
        with engine.connect() as link:
            _check(link)
            yield ServerRows(link)
    except SQLAlchemyError as error:
        raise Odd(type(error).__name__) from None  # its words may hold the whole statement


def _check(link: Connection) -> None:
    """Refuse tables that are not those of the installed MLflow."""
    if [version for (version,) in _asked(link, "SELECT version_num FROM alembic_version")] != [
        newest_version()
    ]:
        raise Odd("another version of MLflow's tables")
    columns = "SELECT column_name FROM information_schema.columns WHERE table_name = 'experiments'"
    if ("workspace",) in _asked(link, columns) and _asked(
        link, "SELECT 1 FROM experiments WHERE workspace IS DISTINCT FROM 'default' LIMIT 1"
    ):
        raise Odd("workspaces")


def _asked(link: Connection, query: str, **values: object) -> list[tuple[Any, ...]]:
    from sqlalchemy import text

    return [tuple(found) for found in link.execute(text(query), values).all()]


class ServerRows:
    """A database that is open; ``Rows`` of ``explorer/results/swift.py``."""

    def __init__(self, link: Connection) -> None:
        self._link = link

    def parents(self, tag: tuple[str, str], experiment: str | None) -> list[tuple[StoredRun, str]]:
        """The living runs that have a tag, in one experiment or in all, without parameters, each with its name."""
        found = _asked(
            self._link, "SELECT experiment_id, name FROM experiments WHERE lifecycle_stage = 'active'"
        )
        names = {str(number): str(name) for number, name in found}
        rows = [row for row in self.living(None, tag) if experiment in (None, names[str(row.experiment_id)])]
        return [(run, names[run.experiment_id]) for run in self.runs_of(rows, whole=False)]

    def living(self, experiment: str | None, tag: tuple[str, str]) -> list[Row]:
        """The living runs of an experiment, or of all living ones, that have a tag, oldest first."""
        where = "" if experiment is None else "AND runs.experiment_id = :experiment "
        query = (
            f"SELECT {COLUMNS} FROM runs JOIN experiments USING (experiment_id) "
            "JOIN tags ON tags.run_uuid = runs.run_uuid AND tags.key = :key AND tags.value = :value "
            f"WHERE runs.lifecycle_stage = 'active' AND experiments.lifecycle_stage = 'active' {where}"
            'ORDER BY runs.start_time, runs.run_uuid COLLATE "C"'
        )
        asked = {"key": tag[0], "value": tag[1]} | (
            {} if experiment is None else {"experiment": int(experiment)}
        )
        return [row_of(found) for found in _asked(self._link, query, **asked)]

    def moment(self) -> Outside:
        """Equal to an earlier one if nobody has written anything since; many writers make it another all the time."""
        return tuple(_asked(self._link, _SERVER) + _asked(self._link, _MOMENT))

    def prints(self, rows: Sequence[Row]) -> dict[str, str]:
        """What tells whether anybody has written to a run since: its row, and the transactions that wrote the others.

        What is written anew comes of a later transaction than all before, and what is gone is counted. PostgreSQL tells
        how many transactions ago one was, which is cheaper to ask for than its number.
        """
        these = [row.run_id for row in rows]
        (server,) = _asked(self._link, _SERVER)
        told: dict[str, tuple[object, ...]] = {row.run_id: (*server, *row) for row in rows}
        ((now,),) = _asked(self._link, "SELECT age('3'::xid)")  # the first there is
        for table in _TABLES:
            query = (
                "SELECT run_uuid, count(*), min(age(xmin)), sum(age(xmin)) "
                f"FROM {table} WHERE {_THESE} GROUP BY run_uuid"
            )
            for run, count, newest, ages in _asked(self._link, query, these=these):
                told[run] += (table, count, now - newest, count * now - int(ages))
        return {run: blake2b(repr(sums).encode(), digest_size=8).hexdigest() for run, sums in told.items()}

    def runs_of(self, rows: Sequence[Row], whole: bool = True) -> list[StoredRun]:
        """The runs of these rows with all that the store has of them; with their tags alone if not ``whole``."""
        these = [row.run_id for row in rows]
        tags = self._columns("tags", "value", these)
        params = self._columns("params", "value", these) if whole else {}
        last = "CASE WHEN is_nan THEN 'NaN' ELSE value END"
        metrics = self._columns("latest_metrics", last, these) if whole else {}
        steps = dict(_asked(self._link, _STEPS, these=these)) if whole else {}
        return [
            run_of(row, tags.get(run, {}), params.get(run, {}), metrics.get(run, {}), steps.get(run))
            for row in rows
            for run in (row.run_id,)
        ]

    def _columns(self, table: str, value: str, these: list[str]) -> dict[str, dict[str, Any]]:
        """Keys and values by run, those without a value left out; a row a run, since rows are what takes time."""
        query = (
            f"SELECT run_uuid, array_agg(key), array_agg({value}) FROM {table} "
            f"WHERE {_THESE} AND value IS NOT NULL GROUP BY run_uuid"
        )
        known: dict[tuple[str, ...], tuple[str, ...]] = {}  # thousands of runs share their keys
        found = {}
        for run, keys, values in _asked(self._link, query, these=these):
            told = tuple(keys)
            found[run] = dict(zip(known.setdefault(told, told), values, strict=True))
        return found
