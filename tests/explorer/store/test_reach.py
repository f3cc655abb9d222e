"""A dead server is told in seconds, whichever way it is dead."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from explorer.errors import UserError
from explorer.results.store import ResultStore
from explorer.store import reach
from explorer.store.connection import TrackingUnavailable
from explorer.store.reach import PROMPT_S, refuse_silent


@pytest.fixture
def closed() -> str:
    """The address of a port at which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


@pytest.fixture
def mute() -> Iterator[str]:
    """A server that takes connections and never says a word."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


class Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_a_closed_port_and_a_mute_server_are_told(closed: str, mute: str) -> None:
    for uri in (closed, mute):
        with pytest.raises(TrackingUnavailable, match="does not answer"):
            ResultStore(uri, patience=PROMPT_S).sweeps()


def test_a_database_is_reached_by_its_port(closed: str) -> None:
    address = closed.replace("http://", "postgresql://u:p@")
    with pytest.raises(TrackingUnavailable, match=r"//…@127\.0\.0\.1") as told:
        refuse_silent(address)
    assert ":p@" not in str(told.value)


def test_the_limit_holds_where_nothing_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [waiting.wait(30)][1:])
    with pytest.raises(TrackingUnavailable, match=r"no answer in 0\.1 s"):
        refuse_silent("http://somewhere.example", 0.1)
    waiting.set()


def test_any_answer_is_one_and_files_need_none(monkeypatch: pytest.MonkeyPatch) -> None:
    server = HTTPServer(("127.0.0.1", 0), Answering)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        refuse_silent(f"http://127.0.0.1:{server.server_port}/mlflow")
    finally:
        server.shutdown()
        server.server_close()
    refuse_silent("sqlite:///nowhere.db")
    refuse_silent("postgresql+psycopg2:///local")
    monkeypatch.setattr(reach, "getproxies", lambda: {"http": "http://proxy.example"})
    refuse_silent("http://behind.example:1")


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("sqlite:////nowhere/at/all/mlflow.db", "there is none"),
        ("sqlite:////", "it is a folder"),
        ("htp://localhost:5000", "must be sqlite:///FILE"),
        ("localhost:5000", "must be sqlite:///FILE"),
        ("sqlite://mlflow.db", "must be sqlite:///FILE"),
    ],
)
def test_a_mistyped_store_says_so(uri: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        ResultStore(uri, patience=PROMPT_S).sweeps()
