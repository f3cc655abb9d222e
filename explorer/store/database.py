"""The file of a SQLite store: made beside its place and moved there when whole; one that is not whole is told.

MLflow lays out its tables in some seventy migrations that are no transaction. A process killed among them leaves a file
that MLflow can neither use nor complete, so none is ever made where it is to stand.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from explorer.errors import UserError, brief, root_cause
from explorer.folders import default_database
from explorer.store.foreign import as_text, decoded
from explorer.store.quiet import quiet_mlflow
from explorer.store.versions import schema_fault
from trainables.nearest import nearest

__all__ = ["check_database", "check_there", "make_database", "opened", "run_ids", "tag_values", "told_if_new"]

WAIT_S = 4.0
"""Longest wait for a process that holds the file; ours hold it for milliseconds."""

MAKING_S = 120.0
"""Longest wait for another process that makes the store, which takes a few seconds."""

_UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""How SQLite's module says that a file is damaged; it also stumbles over the words of its own complaint."""

_SUFFIXES = (".db", ".sqlite", ".sqlite3")
"""Of files that may be stores."""

_SIDES = ("-journal", "-wal", "-shm")
"""Files that SQLite keeps beside a database."""


def make_database(file: Path) -> None:
    """A store at its place, if there is none: whole or not at all, whenever this process is killed.

    Of processes that come at once one makes it and the others wait. What dead makers left is removed. A folder that is
    not there is none to make a store in, unless it is the data folder's own: it was mistyped.
    """
    if file.exists():
        return
    told_if_new(file)
    from filelock import FileLock

    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=file.parent):  # a lock would wait where no file can be made
            pass
        with FileLock(f"{file}.lock", timeout=MAKING_S):
            if file.exists():
                return
            _tidy(file)
            making = TemporaryDirectory(
                prefix=f".{file.name}.", suffix=".making", dir=file.parent, ignore_cleanup_errors=True
            )
            with making as folder:
                _lay_out(Path(folder) / file.name, file.parent / "artifacts")
                _move(Path(folder) / file.name, file)
    except Exception as error:
        raise UserError(
            f"{_named(file)} cannot be made ({root_cause(error)}); make room, or choose a writable place "
            "with TRADEOFF_HOME or tracking.uri"
        ) from error


def told_if_new(file: Path, maker: str = "this sweep") -> str | None:
    """A sentence where a store that is not the usual one would be made; a folder that is not there is refused."""
    if file.exists() or file == default_database():
        return None
    if not file.parent.is_dir():
        raise UserError(
            f"{_named(file)} must lie in a folder that is there, and '{brief(str(file.parent), 90)}' is "
            f"{'none' if file.parent.exists() else 'not'}{_near(file)}"
        )
    return f"there is no {_named(file)} yet, so {maker} makes it{_near(file, otherwise='')}"


def _named(file: Path) -> str:
    """The subject of every sentence here."""
    return f"tracking store '{brief(str(file), 150)}'"


def _near(file: Path, otherwise: str = "; name another") -> str:
    """What was probably meant by a file that is not there: one beside it, or one of its name in a folder beside its."""
    folder = file.parent
    try:
        if folder.is_dir():
            near = [one.name for one in _first(folder) if one.suffix in _SUFFIXES and one.is_file()]
            return nearest(file.name, near, otherwise=otherwise)
        near = [one.name for one in _first(folder.parent) if (one / file.name).is_file()]
        return nearest(folder.name, near, otherwise=f"{otherwise}, or make the folder")
    except OSError:
        return otherwise


def _first(folder: Path) -> Iterator[Path]:
    """What is in a folder, as far as it is worth looking."""
    return islice(folder.iterdir(), 2000)


def _tidy(file: Path) -> None:
    """Remove what dead makers left; nobody else makes while the lock is held.

    A journal whose database is gone would be played back into the new one, so it is moved aside.
    """
    for left in file.parent.glob(f".{file.name}.*.making"):
        shutil.rmtree(left, ignore_errors=True)
    for side in _SIDES:
        beside = Path(f"{file}{side}")
        if beside.exists():
            beside.replace(f"{beside}.left")


def _lay_out(file: Path, artifacts: Path) -> None:
    """MLflow's tables, and its default experiment, with which a store is whole."""
    quiet_mlflow()
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

    store = SqlAlchemyStore(f"sqlite:///{file}", artifacts.as_uri())  # type: ignore[no-untyped-call]
    store.engine.dispose()  # a connection kept open would look for its journal under the old name


def _move(made: Path, file: Path) -> None:
    """At once, and never over a file that another program has put there meanwhile."""
    try:
        os.link(made, file)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        made.rename(file)


def check_database(file: Path) -> None:
    """Refuse a file that is no whole store of this MLflow's, with a sentence that says what to do.

    MLflow itself would lay out tables in a half-made store, and change an older one in place without a copy.
    """
    check_there(file)
    try:
        with opened(file) as link:
            fault = _fault(link)
    except _UNREADABLE as error:
        raise UserError(
            f"{_named(file)} must be a SQLite file that can be read ({root_cause(error)}); name another "
            "store, or move this file away to begin a new one"
        ) from error
    if fault is not None:
        raise UserError(f"{_named(file)} {fault}")


def check_there(file: Path) -> None:
    """Refuse a file that is none: whoever reads makes no store, and a mistyped one is no empty one."""
    if not file.is_file():
        is_what = "it is a folder; name another" if file.is_dir() else f"there is none{_near(file)}"
        raise UserError(f"{_named(file)} must be a SQLite file, and {is_what}")


@contextmanager
def opened(file: Path) -> Iterator[sqlite3.Connection]:
    """The database, with text of any bytes; that another program keeps it to itself is told.

    Not read-only: a writer's death may have left a journal that must be played back first.
    """
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=rw", uri=True, timeout=WAIT_S)) as link:
            link.text_factory = decoded
            yield link
    except sqlite3.OperationalError as error:
        if "locked" not in str(error):
            raise
        raise UserError(
            f"{_named(file)} must be free to be read, and another program holds it ({root_cause(error)}); wait until "
            "that is done, or end it, then run the command again"
        ) from error


def tag_values(file: Path, tag: str, kind: tuple[str, str], experiment: str | None = None) -> set[str]:
    """Values of ``tag`` on the living runs that also have the tag ``kind``, in one experiment or in all living ones.

    Read from the file without MLflow, which takes seconds to load. Empty where it cannot be read so.
    """
    query = (
        "SELECT DISTINCT named.value FROM tags AS named JOIN tags AS kind USING (run_uuid) "
        "JOIN runs USING (run_uuid) JOIN experiments AS place USING (experiment_id) "
        "WHERE named.key = ? AND kind.key = ? AND kind.value = ? AND runs.lifecycle_stage = 'active' AND "
    )
    where = "place.lifecycle_stage = 'active'" if experiment is None else "place.name = ?"
    asked = (tag, *kind) if experiment is None else (tag, *kind, experiment)
    try:
        with opened(file) as link:
            return {as_text(value) for (value,) in link.execute(query + where, asked) if value}
    except _UNREADABLE:
        return set()


def run_ids(file: Path, experiments: Sequence[str], tags: Mapping[str, str]) -> list[str]:
    """Ids of the living runs in some experiments that have all these tags, oldest first, without reading the runs."""
    having = "".join(
        " AND EXISTS (SELECT 1 FROM tags WHERE tags.run_uuid = runs.run_uuid AND tags.key = ? AND tags.value = ?)"
        for _ in tags
    )
    query = (
        "SELECT run_uuid FROM runs WHERE lifecycle_stage = 'active' "
        f"AND experiment_id IN ({', '.join('?' * len(experiments))}){having} ORDER BY start_time, run_uuid"
    )
    asked = [*map(int, experiments), *(part for pair in tags.items() for part in pair)]
    with opened(file) as link:
        return [as_text(run) for (run,) in link.execute(query, asked)]


def _fault(link: sqlite3.Connection) -> str | None:
    """Why a database is no whole store, None if it is one."""
    tables = {name for (name,) in link.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if tables and "experiments" not in tables:
        return "holds no runs of MLflow but something else; name another store"
    # The default experiment comes last, so a store that has one was whole once.
    if not tables or not link.execute("SELECT 1 FROM experiments LIMIT 1").fetchone():
        if "runs" in tables and link.execute("SELECT 1 FROM runs LIMIT 1").fetchone():
            return "has runs and no experiment that they belong to; restore it from a copy, or name another store"
        return "is half made, since its maker was stopped, and holds no runs; move it away and run the command again"
    found = link.execute("SELECT version_num FROM alembic_version") if "alembic_version" in tables else ()
    return schema_fault([as_text(version) for (version,) in found], tables)
