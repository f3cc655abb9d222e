"""How MLflow is reached: quietly, for a bounded time, and with an error that says what to do.

MLflow's own HTTP retries are switched off. They repeat every request blindly, so a ``create run`` whose
answer was lost would leave two runs; ``Connection.call`` repeats too, but first looks whether the work was
already done.
"""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from explorer.errors import UserError, brief, root_cause
from explorer.folders import data_folder
from explorer.store.addresses import checked_address, shown_address, sqlite_address, sqlite_file
from explorer.store.database import check_database, make_database, run_ids
from explorer.store.foreign import decoded
from explorer.store.quiet import quiet_mlflow
from explorer.store.runs import StoredRun, stored
from explorer.store.schema import (
    CATALOGUE_FILE,
    CURVE_FILE,
    CURVES_FILE,
    PICTURE_FILE,
    SAMPLES_FILE,
    SWEEP_FILE,
    THUMB_FILE,
    WITNESSES_FILE,
    WITNESSES_PICTURE,
)

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run
    from mlflow.store.artifact.artifact_repo import ArtifactRepository
    from mlflow.store.entities import PagedList

__all__ = ["Connection", "TrackingUnavailable", "collector_paused", "prepare"]

T = TypeVar("T")

PATIENCE_S = 30.0
"""No attempt starts later than this; a request may take as long again, so a call ends within a minute."""

PAGE, FAR_PAGE = 1000, 100
"""Runs fetched by one request, from a file and from a server, which takes some 50 ms a run and may be asked to answer
within half a minute."""

PLACES = {
    "",
    "file",
    "mlflow-artifacts",
    "http",
    "https",
    "s3",
    "r2",
    "b2",
    "gs",
    "wasbs",
    "abfss",
    "dbfs",
    "hdfs",
}
"""Kinds of places in which artifacts are looked for, a plain path among them.

MLflow knows more: it waits for a silent ``ftp`` without end, and for ``models`` makes a store in the current folder.
"""

LARGEST = {
    SAMPLES_FILE: 2**22,
    CURVE_FILE: 2**18,
    CATALOGUE_FILE: 2**20,
    SWEEP_FILE: 2**22,
    PICTURE_FILE: 2**26,
    CURVES_FILE: 2**20,
    WITNESSES_FILE: 2**18,
    WITNESSES_PICTURE: 2**22,
    THUMB_FILE: 2**16,
}
"""Bytes of an artifact by its name. Ours: samples at a hundred budgets some 10^6, curves of 101 points 10^4, those of
all estimators some 10^4, witnesses some 10^3, catalogues some 10^4, sweep files at most 2^18 before they are resolved,
pictures at a hundred budgets some 10^7, of witnesses some 10^5, thumbnails at most 6,000."""


BUSY = (408, 425, 429, 499)
"""Of HTTP: later it may do."""


class TrackingUnavailable(UserError):
    """The tracking store did not answer for as long as we were willing to wait.

    Attributes:
        away: it may yet.
        what: what is wrong, without what to do about it.
    """

    def __init__(self, message: str, away: bool = True, what: str = "") -> None:
        super().__init__(message)
        self.away = away
        self.what = what or str(self)

    @classmethod
    def of(
        cls, uri: str, how: str, error: Exception, remedy: str = "mend that", away: bool = True
    ) -> TrackingUnavailable:
        """Of a store that ``does not answer``, or does something else, for a reason."""
        what = f"tracking store '{shown_address(uri)}' {how} ({root_cause(error)})"
        again = "then run the same command again: a sweep goes on where it stopped"
        return cls(f"{what}; {remedy}, {again}", away, what)


def prepare(uri: str, make: bool) -> None:
    """What a connection to ``uri`` takes seconds for: MLflow is loaded, and, if need be, a missing file is made."""
    quiet_mlflow()
    file = sqlite_file(uri)
    if file is not None:
        import mlflow.store.tracking.sqlalchemy_store  # noqa: F401

        if make:
            make_database(file)


class Connection:
    """An MLflow client that waits for its store, up to ``patience`` seconds a call.

    Settings of MLflow found in the environment win over ours. A SQLite file that is not there is made, for whoever
    writes a sweep; others do not let it ``make`` one.
    """

    def __init__(self, uri: str, patience: float = PATIENCE_S, make: bool = True) -> None:
        self.uri = checked_address(uri)
        self.patience = patience
        self.client = self._open(make)

    def _open(self, make: bool) -> MlflowClient:
        quiet_mlflow()
        from mlflow import MlflowClient

        file, address = sqlite_file(self.uri), sqlite_address(self.uri)
        if file is not None:
            if make:
                make_database(file)
            check_database(file)
        try:
            if file is not None:
                _take_any_text(address)
            return MlflowClient(tracking_uri=address)
        except Exception as error:  # of MLflow, a database's driver or the migrations, each in its own way
            raise UserError(
                f"tracking store '{shown_address(self.uri)}' cannot be used: {root_cause(error, 150)}"
            ) from error

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
                if _is_hopeless(error, self.uri):
                    remedy = "make room or mend it"
                    raise TrackingUnavailable.of(self.uri, "fails", error, remedy, away=False) from error
                if time.monotonic() + pause > deadline:
                    remedy = "bring it back or set tracking.uri"
                    raise TrackingUnavailable.of(self.uri, "does not answer", error, remedy) from error
            lost = True
            time.sleep(pause)
            pause = min(2 * pause, 5.0)

    def read(self, work: Callable[[], T], what: str = "what") -> T:
        """As ``call``, for work that only reads: what MLflow itself cannot read is the user's to mend."""
        try:
            with collector_paused():
                return self.call(work)
        except UserError:
            raise
        except Exception as error:
            raise UserError(
                f"tracking store '{shown_address(self.uri)}' holds {what} that MLflow cannot read "
                f"({root_cause(error)}); mend it or remove that run with MLflow"
            ) from error

    def search(
        self, experiments: list[str], tags: Mapping[str, str], unread: list[str] | None = None
    ) -> Iterator[StoredRun]:
        """All runs that have these tags, oldest first: runs born meanwhile come at the end and shift no page.

        Runs that MLflow cannot read are named in ``unread``; without such a list the first one is refused.
        """
        where = " and ".join(f"tags.`{key}` = '{value}'" for key, value in tags.items())
        token, seen = None, set[str]()
        while True:
            try:
                page = self.read(lambda token=token: self._page(experiments, where, token))  # type: ignore[misc]
            except TrackingUnavailable:
                raise
            except UserError:
                if sqlite_file(self.uri) is None:
                    raise
                break  # one run spoils its whole page
            for run in map(stored, page):
                seen.add(run.run_id)
                yield run
            token = page.token
            if not token:
                return
        yield from self._one_by_one(experiments, tags, seen, unread)

    def _one_by_one(
        self, experiments: list[str], tags: Mapping[str, str], seen: Set[str], unread: list[str] | None
    ) -> Iterator[StoredRun]:
        """The runs of a SQLite store that are not ``seen`` yet, each by its id, which the file itself tells."""
        file = sqlite_file(self.uri)
        assert file is not None
        for run_id in self.read(lambda: run_ids(file, experiments, tags)):
            if run_id in seen:
                continue
            try:
                yield self.run(run_id)
            except TrackingUnavailable:
                raise
            except UserError as error:
                if unread is None:
                    raise
                unread.append(f"run {run_id} ({root_cause(error)})")

    def run(self, run_id: str) -> StoredRun:
        """One run by its id."""
        return stored(self.read(lambda: self.client.get_run(run_id), f"run {run_id}"))

    @property
    def is_server(self) -> bool:
        """Whether a server is asked, as opposed to a database itself."""
        return self.uri.startswith(("http:", "https:"))

    def answers(self, run_id: str) -> bool:
        """Whether a server, asked once, knows anything to say of a run."""
        try:
            self.client.get_run(run_id)
        except Exception as error:
            return not _is_outage(error)
        return True

    def stage(self, run_id: str) -> str | None:
        """``active`` or ``deleted``: where a run is, as the store tells that is asked once; None where it does not."""
        try:
            return str(self.client.get_run(run_id).info.lifecycle_stage)
        except Exception:
            return None

    def _page(self, experiments: list[str], where: str, token: str | None) -> PagedList[Run]:
        size = FAR_PAGE if sqlite_file(self.uri) is None else PAGE
        return self.client.search_runs(
            experiments, where, max_results=size, order_by=["attributes.start_time ASC"], page_token=token
        )

    def experiment(self, name: str) -> str:
        """Id of the experiment, created if need be, by whichever process comes first."""
        found = self.call(lambda: self.client.get_experiment_by_name(name))
        if found is None:
            return self._create_experiment(name)
        if not found.experiment_id:
            self.refuse_mute()
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

    def refuse_mute(self) -> None:
        """Refuse a server that answers with nothing, which MLflow takes for a store with nothing in it."""
        if not self.is_server:
            return
        answer = self.call(lambda: self._post("/api/2.0/mlflow/experiments/search", {"max_results": 1}))
        if not answer.text.strip():
            raise UserError(
                f"tracking store '{shown_address(self.uri)}' must be an MLflow server, and answers with nothing; name "
                "another"
            )

    def posted(self, path: str, asked: Mapping[str, object]) -> dict[str, Any]:
        """What a server answers to JSON, one attempt; MLflow's own settings say who asks and whom to trust."""
        from mlflow.utils.rest_utils import verify_rest_response

        answer = verify_rest_response(self._post(path, asked), path)
        found: dict[str, Any] = json.loads(answer.text or "{}")
        return found

    def _post(self, path: str, asked: Mapping[str, object]) -> Any:
        from mlflow.utils.rest_utils import http_request

        who = self.client._tracking_client.store.get_host_creds()
        return http_request(who, path, "POST", json=dict(asked))  # type: ignore[no-untyped-call]

    def artifacts(self, uri: str) -> ArtifactRepository:
        """The folder of a run's artifacts, reached without asking for the run."""
        if urlsplit(uri).scheme not in PLACES:
            raise UserError(
                f"artifacts must lie in a folder, a cloud or on a server, got {brief(uri, 40)!r}; choose another "
                "tracking.experiment"
            )
        from mlflow.store.artifact.artifact_repository_registry import get_artifact_repository

        return get_artifact_repository(uri, tracking_uri=self.uri)

    def artifact(self, uri: str, name: str) -> bytes | None:
        """Content of a file among a run's artifacts; None if there is none. One too large to be ours is refused."""
        repository = self.artifacts(uri)
        # A server keeps artifacts too, and is waited for; other places are asked once.
        ask = self.call if sqlite_file(self.uri) is None else _at_once
        listed = ask(repository.list_artifacts)
        found = next((file for file in listed if file.path == name and not file.is_dir), None)
        if found is None:
            return None
        size, most = found.file_size or 0, LARGEST.get(name, max(LARGEST.values()))
        if size > most:
            raise ValueError(f"it has {size:,} bytes, more than {most:,}")
        with TemporaryDirectory() as folder:
            path = ask(lambda: repository.download_artifacts(name, folder))  # type: ignore[no-untyped-call]
            return Path(path).read_bytes()


def _take_any_text(address: str) -> None:
    """Let MLflow read text of others that is no UTF-8, of which one value would cost all runs."""
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore
    from sqlalchemy import event

    # MLflow has one engine an address, and reads from it as soon as there is a client.
    event.listen(SqlAlchemyStore._get_or_create_engine(address), "checkout", _any_text)


def _any_text(link: Any, record: object, proxy: object) -> None:
    link.text_factory = decoded


def _at_once(work: Callable[[], T]) -> T:
    return work()


def _artifact_location(uri: str) -> str | None:
    """Where artifacts go: a server decides itself; else beside the database, never in the current folder."""
    if uri.startswith(("http:", "https:")):
        return None
    database = sqlite_file(uri)
    return ((database.parent if database else data_folder()) / "artifacts").as_uri()


@contextmanager
def collector_paused() -> Iterator[None]:
    """No garbage collection in here.

    A page of runs is some 50 objects a run, a history ten a point, all alive: collections find nothing and take half of
    the time.
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

    if isinstance(error, RestException):
        # BAD_REQUEST is what a server says for whatever its database said, that it has just ended too.
        status = int(error.get_http_status_code())  # type: ignore[no-untyped-call]
        return status >= 500 or status in BUSY or error.error_code == "BAD_REQUEST"
    if isinstance(error, MlflowException) and (
        error.error_code == "TEMPORARILY_UNAVAILABLE" or str(error).startswith("API request to")
    ):
        return True
    # requests' own errors are of the system's kind, and so is a disk that is full
    return isinstance(error, OSError) or _is_of_database(error)


def _is_of_database(error: BaseException | None) -> bool:
    """Whether a database that is asked itself has gone: MLflow tells that in several ways, or lets it through."""
    from sqlalchemy.exc import InterfaceError, OperationalError

    while error is not None and not isinstance(error, OperationalError | InterfaceError):
        error = error.__cause__ or error.__context__
    return error is not None


def _is_hopeless(error: Exception, uri: str) -> bool:
    """Whether waiting cannot help: local files fail for good unless another process holds the database."""
    from requests import RequestException

    if isinstance(error, OSError) and not isinstance(error, RequestException):
        return True
    return sqlite_file(uri) is not None and "locked" not in str(error)
