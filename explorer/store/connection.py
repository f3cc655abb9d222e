"""How MLflow is reached: quietly, for a bounded time, and with an error that says what to do.

MLflow's own HTTP retries are switched off. They repeat every request blindly, so a ``create run`` whose
answer was lost would leave two runs; ``Connection.call`` repeats too, but first looks whether the work was
already done.
"""

from __future__ import annotations

import fcntl
import gc
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from explorer.errors import UserError
from explorer.folders import data_folder

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run
    from mlflow.store.artifact.artifact_repo import ArtifactRepository
    from mlflow.store.entities import PagedList

__all__ = ["Connection", "TrackingUnavailable", "sqlite_file"]

T = TypeVar("T")

PATIENCE_S = 30.0
"""No attempt starts later than this; a request may take as long again, so a call ends within a minute."""

PAGE = 1000
"""Runs fetched by one request."""

_SETTINGS = {
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "30",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
}
_QUIET = {"mlflow": "ERROR", "mlflow.store.db.utils": "CRITICAL", "alembic": "ERROR", "urllib3": "ERROR"}
_SCHEMES = ("http", "https", "sqlite", "postgresql", "mysql", "mssql")


class TrackingUnavailable(UserError):
    """The tracking store did not answer for as long as we were willing to wait."""


def sqlite_file(uri: str) -> Path | None:
    """The file behind ``sqlite:///relative`` or ``sqlite:////absolute``; None for other stores."""
    scheme, _, path = uri.partition(":///")
    return Path(path).expanduser().resolve() if scheme.split("+")[0] == "sqlite" and path else None


class Connection:
    """An MLflow client that waits for its store, up to ``patience`` seconds a call.

    Settings of MLflow found in the environment win over ours.
    """

    def __init__(self, uri: str, patience: float = PATIENCE_S) -> None:
        scheme = uri.partition(":")[0].split("+")[0]
        if scheme not in _SCHEMES or (scheme == "sqlite" and sqlite_file(uri) is None):
            raise UserError(
                f"tracking.uri must be sqlite:///FILE, http(s)://HOST or a database address, got '{uri}'"
            )
        self.uri = uri
        self.patience = patience
        self.client = self._open()

    def _open(self) -> MlflowClient:
        for name, value in _SETTINGS.items():
            os.environ.setdefault(name, value)
        from mlflow import MlflowClient
        from mlflow.exceptions import MlflowException

        for name, level in _QUIET.items():
            logging.getLogger(name).setLevel(level)
        try:
            # MLflow does not guard clients that make the tables of a fresh database against each other.
            with _only_one(sqlite_file(self.uri)):
                return MlflowClient(tracking_uri=self.uri)
        except MlflowException as error:
            raise UserError(f"tracking store '{self.uri}' cannot be used: {error}") from error

    def call(self, work: Callable[[], T], done: Callable[[], T | None] | None = None) -> T:
        """``work()``, repeated while the store is away.

        Before a repetition ``done()`` is asked: anything but None is what an attempt achieved whose answer
        was lost.
        """
        deadline, pause, lost = time.monotonic() + self.patience, 0.25, False
        while True:
            try:
                if lost and done is not None and (result := done()) is not None:
                    return result
                return work()
            except Exception as error:
                if not _is_outage(error):
                    raise
                if _is_hopeless(error, self.uri) or time.monotonic() + pause > deadline:
                    raise TrackingUnavailable(
                        f"tracking store '{self.uri}' does not answer ({_root(error)}); bring it "
                        "back or set tracking.uri, then run the same sweep again: it goes on where it stopped"
                    ) from error
            lost = True
            time.sleep(pause)
            pause = min(2 * pause, 5.0)

    def search(self, experiments: list[str], where: str) -> Iterator[Run]:
        """All runs that match, oldest first: runs born meanwhile come at the end and shift no page."""
        token: str | None = None
        while True:
            with _collector_paused():
                page = self.call(lambda token=token: self._page(experiments, where, token))  # type: ignore[misc]
            yield from page
            token = page.token
            if not token:
                return

    def _page(self, experiments: list[str], where: str, token: str | None) -> PagedList[Run]:
        return self.client.search_runs(
            experiments, where, max_results=PAGE, order_by=["attributes.start_time ASC"], page_token=token
        )

    def experiment(self, name: str) -> str:
        """Id of the experiment, created if need be, by whichever process comes first."""
        found = self.call(lambda: self.client.get_experiment_by_name(name))
        if found is None:
            return self._create_experiment(name)
        if found.lifecycle_stage == "deleted":
            raise UserError(
                f"experiment '{name}' is in MLflow's trash; restore it with `mlflow experiments restore "
                f"--experiment-id {found.experiment_id}` or choose another tracking.experiment"
            )
        return str(found.experiment_id)

    def _create_experiment(self, name: str) -> str:
        from mlflow.exceptions import MlflowException

        try:
            location = _artifact_location(self.uri)
            return str(self.call(lambda: self.client.create_experiment(name, artifact_location=location)))
        except MlflowException as error:
            if error.error_code != "RESOURCE_ALREADY_EXISTS":
                raise
        return self.experiment(name)

    def artifacts(self, uri: str) -> ArtifactRepository:
        """The folder of a run's artifacts, reached without asking for the run."""
        from mlflow.store.artifact.artifact_repository_registry import get_artifact_repository

        return get_artifact_repository(uri, tracking_uri=self.uri)


def _artifact_location(uri: str) -> str | None:
    """Where artifacts go: a server decides itself; else beside the database, never in the current folder."""
    if uri.startswith(("http:", "https:")):
        return None
    database = sqlite_file(uri)
    return ((database.parent if database else data_folder()) / "artifacts").as_uri()


@contextmanager
def _only_one(database: Path | None) -> Iterator[None]:
    """At most one process in here per SQLite file, which must be readable as one."""
    if database is None:
        yield
        return
    try:
        database.parent.mkdir(parents=True, exist_ok=True)
        with database.with_name(database.name + ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with sqlite3.connect(database, timeout=20) as probe:
                probe.execute("PRAGMA schema_version")
            probe.close()
            yield
    except (OSError, sqlite3.Error) as error:
        raise UserError(f"tracking store '{database}' must be a writable SQLite file: {error}") from error


@contextmanager
def _collector_paused() -> Iterator[None]:
    """No garbage collection in here.

    A page of runs is some 50 objects a run, all alive: collections find nothing and take half of the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _is_outage(error: Exception) -> bool:
    """Whether the store was not reached, as opposed to having refused."""
    from mlflow.exceptions import MlflowException, RestException
    from requests import RequestException

    if isinstance(error, RestException):
        return int(error.get_http_status_code()) >= 500  # type: ignore[no-untyped-call]
    if isinstance(error, MlflowException):
        return error.error_code == "TEMPORARILY_UNAVAILABLE" or str(error).startswith("API request to")
    return isinstance(error, RequestException)


def _is_hopeless(error: Exception, uri: str) -> bool:
    """Whether waiting cannot help: a local database fails for good unless another process holds it."""
    return sqlite_file(uri) is not None and "locked" not in str(error)


def _root(error: BaseException) -> str:
    """What lies at the bottom of an error, short enough for a sentence: ``no such table: metrics``."""
    while deeper := error.__cause__ or error.__context__:
        error = deeper
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0] if len(lines[0]) <= 200 else lines[0][:200] + "…"
