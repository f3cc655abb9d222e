"""The store is reached quietly and for a bounded time; work whose answer was lost is not done twice."""

from __future__ import annotations

import gc
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import requests
from mlflow.exceptions import MlflowException
from sqlalchemy.exc import OperationalError

from explorer.errors import UserError
from explorer.results.store import ResultStore
from explorer.store import connection
from explorer.store.addresses import sqlite_file
from explorer.store.connection import Connection, TrackingUnavailable, prepare
from explorer.store.database import check_database
from tests.stores import empty_store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Connection:
    return Connection(empty_store(tmp_path_factory.mktemp("store")), patience=3.0)


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Connection:
    """A connection to a server that is not asked for anything."""
    monkeypatch.setattr(connection.time, "sleep", lambda seconds: None)
    return Connection("http://127.0.0.1:9", patience=3.0)


@pytest.mark.parametrize("bad", ["mlruns", "file:///tmp/x", "sqlite://", "ftp://x", ""])
def test_other_stores_are_refused(bad: str) -> None:
    with pytest.raises(UserError, match="a tracking store must be"):
        Connection(bad)


def test_a_folder_in_the_way_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="must be a SQLite file, and it is a folder"):
        Connection(f"sqlite:///{tmp_path}")


class Outages:
    """Work that fails so often before it succeeds."""

    def __init__(self, times: int, error: Exception) -> None:
        self.left, self.error, self.calls = times, error, 0

    def __call__(self) -> str:
        self.calls += 1
        if self.left:
            self.left -= 1
            raise self.error
        return "worked"


AWAY = requests.ConnectionError("refused")


def test_a_missing_file_is_made_ahead_only_if_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "mlflow.db"
    prepare(f"sqlite:///{file}", make=False)
    assert not file.exists()
    prepare(f"sqlite:///{file}", make=True)
    check_database(file)


def test_an_outage_is_waited_for(web: Connection) -> None:
    work = Outages(2, AWAY)
    assert web.call(work) == "worked"
    assert work.calls == 3


def test_work_that_was_done_before_its_answer_was_lost_is_not_repeated(web: Connection) -> None:
    work = Outages(1, AWAY)
    assert web.call(work, lambda: "done already") == "done already"
    assert work.calls == 1
    again = Outages(1, AWAY)
    assert web.call(again, lambda: None) == "worked"
    assert again.calls == 2
    first = Outages(0, AWAY)
    assert web.call(first, lambda: "never asked") == "worked"


def test_a_refusal_is_no_outage(web: Connection) -> None:
    work = Outages(1, MlflowException("bad request"))
    with pytest.raises(MlflowException, match="bad request"):
        web.call(work)
    assert work.calls == 1


def test_a_database_that_ends_amid_a_request_is_an_outage(web: Connection) -> None:
    """MLflow rolls back what is broken already, and tells that, or lets the driver's own words through."""
    gone = OperationalError("ROLLBACK", None, Exception("server closed the connection unexpectedly"))

    def told() -> None:
        try:
            raise gone
        except OperationalError as error:
            raise MlflowException("it failed") from error

    def let_through() -> None:
        raise gone

    for work in (told, let_through):
        calls: list[int] = []

        def once(work: Callable[[], None] = work, calls: list[int] = calls) -> str:
            calls.append(1)
            if len(calls) == 1:
                work()
            return "done"

        assert (web.call(once), len(calls)) == ("done", 2)


def test_patience_ends(web: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 1000, 2))
    monkeypatch.setattr(connection.time, "monotonic", lambda: float(next(clock)))
    work = Outages(1000, AWAY)
    with pytest.raises(
        TrackingUnavailable,
        match=r"does not answer \(refused\); bring it back or set tracking\.uri, then run the same command",
    ):
        web.call(work)
    assert work.calls <= 3


def test_what_lies_at_the_bottom_of_an_error_is_told_briefly(
    web: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "patience", -1.0)
    deep = requests.ConnectionError("outer")
    deep.__cause__ = OSError("x" * 300 + "\nsecond line")
    with pytest.raises(TrackingUnavailable) as caught:
        web.call(Outages(1, deep))
    assert "xx … xx" in str(caught.value)
    assert "second line" not in str(caught.value)
    assert len(str(caught.value)) <= 300


def test_pages_are_walked_to_the_last_run(store: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "PAGE", 2)
    experiment = store.experiment("pages")
    made = [store.client.create_run(experiment, start_time=i).info.run_id for i in (3, 1, 2, 5, 4)]
    found = [run.run_id for run in store.search([experiment], {})]
    assert found == [made[i] for i in (1, 2, 0, 4, 3)], "oldest first"
    assert gc.isenabled()


def test_an_experiment_is_found_or_made_and_keeps_artifacts_beside_the_database(store: Connection) -> None:
    first = store.experiment("mine")
    assert store.experiment("mine") == first
    location = store.client.get_experiment(first).artifact_location
    file = sqlite_file(store.uri)
    assert file is not None
    assert location.startswith((file.parent / "artifacts").as_uri())
    store.client.delete_experiment(first)
    with pytest.raises(UserError, match="mlflow experiments restore"):
        store.experiment("mine")


def test_another_process_may_make_the_experiment_first(
    store: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = store.client.get_experiment_by_name
    answers = iter([None])
    monkeypatch.setattr(store.client, "get_experiment_by_name", lambda name: next(answers, real(name)))
    made = store.client.create_experiment("raced")
    assert store.experiment("raced") == made


@pytest.fixture
def mute() -> Iterator[str]:
    """A server that says OK to everything, and nothing else."""

    class Mute(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_POST = do_GET

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Mute) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_server_that_says_nothing_is_no_empty_store(mute: str) -> None:
    for ask in (
        lambda: ResultStore(mute).sweeps(),
        lambda: ResultStore(mute, "mine").sweeps(),
        lambda: Connection(mute).experiment("mine"),
    ):
        with pytest.raises(
            UserError, match="must be an MLflow server, and answers with nothing; name another"
        ):
            ask()


def test_a_run_that_cannot_be_read_is_refused_by_name_unless_the_others_are_asked_for(
    store: Connection,
) -> None:
    experiment = store.experiment("odd")
    good, odd = (store.client.create_run(experiment, start_time=i).info.run_id for i in (1, 2))
    file = sqlite_file(store.uri)
    assert file is not None
    with closing(sqlite3.connect(file)) as link, link:
        link.execute("UPDATE runs SET status = NULL WHERE run_uuid = ?", (odd,))
    with pytest.raises(UserError, match=f"holds run {odd} that MLflow cannot read"):
        list(store.search([experiment], {}))
    unread: list[str] = []
    assert [run.run_id for run in store.search([experiment], {}, unread)] == [good]
    assert unread == [f"run {odd} (status cannot be None)"]
