"""Servers that benchmarks read from: PostgreSQL, and MLflow's own before a store. They end with the block."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["mlflow_server", "postgres"]

PATIENCE_S = 120.0


@contextmanager
def postgres(folder: Path) -> Iterator[str]:
    """Address of an empty database of a new PostgreSQL server, which refuses to be root."""
    binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
    place, port = folder / "pg", _free_port()
    place.mkdir()
    person: dict[str, Any] = {"user": "postgres", "group": "postgres"} if os.getuid() == 0 else {}
    if person:
        folder.chmod(0o755)
        shutil.chown(place, "postgres", "postgres")
    made = [str(binaries / "initdb"), "--no-sync", "--auth=trust", "--username=bench", str(place / "data")]
    subprocess.run(made, check=True, cwd=place, stdout=subprocess.DEVNULL, **person)
    command = [str(binaries / "postgres"), "-D", str(place / "data"), "-k", str(place), "-p", str(port)]
    # What SIGINT is to it: an end that does not wait for those who are connected.
    with _running(command, place, folder / "postgres.log", end=signal.SIGINT, **person):
        _until(lambda: socket.create_connection(("127.0.0.1", port), 1).close())
        yield f"postgresql+psycopg2://bench@127.0.0.1:{port}/postgres"


@contextmanager
def mlflow_server(store: str, folder: Path) -> Iterator[str]:
    """Address of ``mlflow server`` on a store, as MLflow starts it: with four workers."""
    port = _free_port()
    environment = {
        **os.environ,
        "MLFLOW_BACKEND_STORE_URI": store,
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
        "MLFLOW_DISABLE_TELEMETRY": "true",
    }
    command = [sys.executable, "-m", "mlflow", "server", "--port", str(port)]
    command += ["--artifacts-destination", str(folder / "kept")]
    with _running(command, folder, folder / "mlflow.log", env=environment):
        _until(lambda: urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close())
        yield f"http://127.0.0.1:{port}"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _running(
    command: list[str], folder: Path, log: Path, end: signal.Signals = signal.SIGTERM, **more: Any
) -> Iterator[None]:
    with log.open("w") as told:
        process = subprocess.Popen(command, cwd=folder, stdout=told, stderr=told, **more)
        try:
            yield
        finally:
            process.send_signal(end)
            process.wait(timeout=60)


def _until(ask: Any) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            ask()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
