"""A real store and a real server: one of each for all tests of the app."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from explorer.figures.chart import Chart
from explorer.results.table import TrialTable
from tests.app.made_sweep import read_table, shared_store

START_S = 120.0


@pytest.fixture(autouse=True)
def main_module() -> Iterator[None]:
    """Streamlit's own tests put their page in the place of the main module, where processes that are spawned look."""
    before = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = before


@dataclass
class Server:
    """A running ``tradeoff app`` and what it printed."""

    process: subprocess.Popen[str]
    port: int
    printed: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"


def start_server(uri: str, port: int, home: Path, *options: str) -> Server:
    """Start the command and wait until it answers; the port is the one it printed."""
    command = [
        sys.executable,
        "-m",
        "explorer",
        "app",
        "--headless",
        "--port",
        str(port),
        "--tracking-uri",
        uri,
        *options,
    ]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "TRADEOFF_HOME": str(home)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    server = Server(process, port)
    while not server.printed or "http://" not in server.printed[-1]:
        line = process.stdout.readline()
        assert line, f"the command ended early: {server.printed}"
        server.printed.append(line)
    server.port = int(server.printed[-1].split("http://localhost:")[1].split()[0])
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=2):
                return server
        except OSError:
            assert process.poll() is None, "the server ended before it answered"
            time.sleep(0.1)
    raise TimeoutError(f"no answer within {START_S} s")


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def store_uri(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One store for all tests, also where several processes run them."""
    base = tmp_path_factory.getbasetemp()
    return shared_store(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base)


@pytest.fixture(scope="session")
def table(store_uri: str) -> TrialTable:
    """All trials of the sweep ``made``, the failed one among them."""
    return read_table(store_uri)


@pytest.fixture(scope="session")
def server(store_uri: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = start_server(store_uri, unused_port(), tmp_path_factory.mktemp("home"))
    yield running
    running.process.terminate()
    running.process.wait(timeout=30)


@pytest.fixture
def store(store_uri: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The store as the one that a page run in this process reads."""
    monkeypatch.setenv("MLFLOW_TRACKING_URI", store_uri)
    return store_uri


@pytest.fixture
def charts(monkeypatch: pytest.MonkeyPatch) -> dict[str, Chart]:
    """What the charts of a page in this process were told, by their key; they are not drawn."""
    from tests.app.scenes import recorded

    return recorded(monkeypatch)
