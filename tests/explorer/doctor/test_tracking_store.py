"""The tracking store: there, whole, of this MLflow, and ours to write."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path

import pytest

from explorer.doctor.finding import Finding, Subject
from explorer.doctor.tracking_store import check_store
from tests.stores import empty_store


def look(uri: str) -> Finding:
    (one,) = check_store(Subject(uri))
    return one


def test_a_store_that_is_whole_is_known_without_mlflow(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    assert look(uri).state == "ok"
    code = (
        "import sys; from explorer.doctor.tracking_store import check_store\n"
        "from explorer.doctor.finding import Subject\n"
        "assert [f.state for f in check_store(Subject(sys.argv[1]))] == ['ok']\n"
        "assert 'mlflow' not in sys.modules and 'alembic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, uri], check=True)


def test_the_usual_one_may_be_made_later_and_another_is_mistyped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    assert look(f"sqlite:///{tmp_path / 'mlflow.db'}").state == "ok"
    mistyped = look(f"sqlite:///{tmp_path / 'mlfow.db'}")
    assert mistyped.state == "problem"
    assert "and there is none" in mistyped.sentence
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("what", ["older", "half made", "no database"])
def test_one_that_is_broken_is_told_as_ever(tmp_path: Path, what: str) -> None:
    uri = empty_store(tmp_path)
    file = tmp_path / "mlflow.db"
    if what == "no database":
        file.write_text("something else")
    else:
        with sqlite3.connect(file) as link:
            link.execute(
                "UPDATE alembic_version SET version_num = 'none-of-ours'"
                if what == "older"
                else "DELETE FROM experiments"
            )
    problem = look(uri)
    assert problem.state == "problem"
    assert problem.sentence.startswith("tracking store '")


def test_an_address_of_nothing_is_a_problem() -> None:
    assert look("ftp://host/x").state == "problem"
    gone = look("http://127.0.0.1:9")
    assert gone.state == "problem"
    assert "does not answer" in gone.sentence


@contextmanager
def answering(status: int, body: str) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("status", "body", "state"),
    [
        (200, version("mlflow"), "ok"),
        (200, "1.0.0", "note"),
        (200, "<html>", "problem"),
        (401, "who?", "problem"),
    ],
)
def test_a_server_is_asked_for_its_version(status: int, body: str, state: str) -> None:
    with answering(status, body) as uri:
        assert look(uri).state == state
