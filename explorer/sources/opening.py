"""An address as a reader types it: an MLflow store, a table, Optuna's or Ray's results, by what is there."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from explorer.errors import UserError, brief, root_cause
from explorer.folders import default_database
from explorer.sources.csv_file import CsvSource
from explorer.sources.mlflow_store import StoreSource
from explorer.sources.optuna_journal import is_journal, journal_studies
from explorer.sources.optuna_sqlite import is_storage, sqlite_studies
from explorer.sources.optuna_storage import OptunaSource
from explorer.sources.ray_folder import RaySource, is_ray_folder
from explorer.sources.source import Source
from explorer.store.addresses import LONGEST, shown_address, sqlite_file
from explorer.store.database import check_there, opened
from explorer.store.foreign import as_text

__all__ = ["checked_source", "open_source"]

OPTUNA = "optuna:"
_SQLITE = b"SQLite format 3\x00"


def open_source(address: str, patience: float | None = None) -> Source:
    """The source at an address: a tracking store's, ``optuna:sqlite:///FILE``, or the path of a file.

    A file is taken for what it is: a database of MLflow's or Optuna's, Optuna's journal, or a table if it is called
    ``.csv``; a folder for the store in it, or for results of Ray Tune. What is not there, or none of these, is refused
    at once. ``patience`` as of ``ResultStore``.
    """
    address = address.strip()
    if not address or len(address) > LONGEST or not address.isprintable():
        raise UserError(f"an address must be a store's or a file's, got {shown_address(address)!r}")
    if address.startswith(OPTUNA):
        return _optuna(address)
    file = sqlite_file(address)
    if file is not None:
        return _database(address, file) if file.is_file() else StoreSource(address, patience)
    if "://" in address:
        return StoreSource(address, patience)
    return _file(address, patience)


def checked_source(address: str) -> str:
    """The address as any process of this machine can open it; what is none, or no file that is there, is refused.

    Servers are not asked. Of stores that are yet to be made the default one alone may be named.
    """
    found = open_source(address).address
    file = sqlite_file(found)
    if file is not None and file != default_database():
        check_there(file)
    return found


def _path(address: str, told: str) -> Path:
    try:
        return Path(told).expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise UserError(f"'{shown_address(address)}' must name a file ({root_cause(error)})") from error


def _file(address: str, patience: float | None) -> Source:
    file = _path(address, address)
    if file.is_dir():
        inside = file / "mlflow.db"
        if inside.is_file():
            return StoreSource(f"sqlite:///{inside}", patience)
        if is_ray_folder(file):
            return RaySource(str(file), file)
        raise UserError(
            f"'{shown_address(address)}' is a folder without an mlflow.db, and holds no experiment of Ray Tune; name a "
            "file in it, or the address of a store"
        )
    if not file.is_file():
        raise UserError(
            f"there is no file '{shown_address(address)}'; name one that is there, or a store as sqlite:///FILE or "
            "http(s)://HOST"
        )
    if file.suffix.lower() in (".csv", ".tsv"):
        return CsvSource(str(file), file)
    if _begins(file) == _SQLITE:
        return _database(f"sqlite:///{file}", file, patience)
    if is_journal(file):
        return OptunaSource(str(file), file, journal_studies)
    raise UserError(
        f"'{shown_address(address)}' must be a CSV file (.csv), a database of MLflow's or Optuna's, or Optuna's "
        "journal, and is none of these"
    )


def _begins(file: Path) -> bytes:
    try:
        with file.open("rb") as content:
            return content.read(len(_SQLITE))
    except OSError as error:
        raise UserError(
            f"'{brief(str(file), 150)}' cannot be read ({root_cause(error)}); name another"
        ) from error


def _database(address: str, file: Path, patience: float | None = None) -> Source:
    """A SQLite file by its tables; what is neither's is MLflow's to refuse."""
    if is_storage(_tables(file)):
        return OptunaSource(address, file, sqlite_studies)
    return StoreSource(address, patience)


def _tables(file: Path) -> set[str]:
    try:
        with opened(file) as link:
            return {
                as_text(name)
                for (name,) in link.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            }
    except (sqlite3.Error, UnicodeDecodeError):
        return set()


def _optuna(address: str) -> Source:
    told = address.removeprefix(OPTUNA)
    file = sqlite_file(told) or (None if "://" in told else _path(address, told))
    if file is None:
        raise UserError(
            f"an Optuna storage must be optuna:sqlite:///FILE or optuna:FILE, got {shown_address(address)!r}"
        )
    if not file.is_file():
        raise UserError(f"there is no file '{shown_address(told)}'; name an Optuna storage that is there")
    if _begins(file) == _SQLITE:
        if not is_storage(_tables(file)):
            raise UserError(
                f"'{brief(str(file), 150)}' must be an Optuna storage, and has no studies; name another"
            )
        return OptunaSource(f"{OPTUNA}{file}", file, sqlite_studies)
    if is_journal(file):
        return OptunaSource(f"{OPTUNA}{file}", file, journal_studies)
    raise UserError(
        f"'{brief(str(file), 150)}' must be an Optuna storage, SQLite or a journal, and is neither"
    )
