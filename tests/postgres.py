"""PostgreSQL and ``mlflow server`` on it, as processes of this machine that can be stopped and started again."""

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
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

__all__ = ["Postgres", "TrackingServer", "running_postgres"]

PASSWORD = "a-secret-of-the-database"


class Postgres:
    """A database of its own folder; asked as ``address`` says, or with ``rows``."""

    def __init__(self, folder: Path) -> None:
        self.port = _free_port()
        self._folder = folder
        binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        password = folder / "password"
        password.write_text(PASSWORD)
        person: dict[str, Any] = {}
        if os.getuid() == 0:  # its server refuses to be root
            person = {"user": "postgres", "group": "postgres"}
            shutil.chown(folder, "postgres", "postgres")
            shutil.chown(password, "postgres", "postgres")
        made = [
            binaries / "initdb",
            "--no-sync",
            "--auth=scram-sha-256",
            "--username=mlflow",
            f"--pwfile={password}",
        ]
        data = folder / "data"
        subprocess.run([*made, data], check=True, cwd=folder, stdout=subprocess.DEVNULL, **person)
        command = [
            binaries / "postgres",
            "-D",
            data,
            "-k",
            folder,
            "-p",
            str(self.port),
            "-h",
            "127.0.0.1",
            "-F",
        ]
        with (folder / "postgres.log").open("wb") as log:
            self._process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, **person)
        _until(self._answers, self._process, folder / "postgres.log")

    @property
    def address(self) -> str:
        return f"postgresql+psycopg2://mlflow:{PASSWORD}@127.0.0.1:{self.port}/postgres"

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What a query finds."""
        import psycopg2

        asked = {"host": "127.0.0.1", "port": self.port, "user": "mlflow", "password": PASSWORD}
        with closing(psycopg2.connect(**asked, dbname="postgres")) as link, link, link.cursor() as cursor:
            cursor.execute(query)
            return list(cursor.fetchall()) if cursor.description else []

    def stop(self) -> None:
        """At once, whoever is connected."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait(timeout=60)

    def _answers(self) -> bool:
        import psycopg2

        try:
            return bool(self.rows("SELECT 1"))
        except psycopg2.OperationalError:
            return False


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    with TemporaryDirectory(dir="/tmp") as folder:  # short, since it puts a socket into it
        Path(folder).chmod(0o755)
        postgres = Postgres(Path(folder))
        try:
            yield postgres
        finally:
            postgres.stop()


class TrackingServer:
    """``mlflow server`` on a database, which may be away for a while."""

    def __init__(self, store: str, folder: Path) -> None:
        self.port = _free_port()
        self.uri = f"http://127.0.0.1:{self.port}"
        self._log = folder / "server.log"
        self._options = ["--workers", "1", "--artifacts-destination", str(folder / "kept")]
        self._store = store
        self._process: subprocess.Popen[bytes] | None = None

    def up(self) -> None:
        """Start it, and wait until it answers."""
        command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(self.port)]
        more = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "MLFLOW_DISABLE_TELEMETRY": "true"}
        env = {**os.environ, **more, "MLFLOW_BACKEND_STORE_URI": self._store}
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*command, *self._options],
                cwd=self._log.parent,
                env=env,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        _until(self._answers, self._process, self._log)

    def down(self) -> None:
        """End it at once, in the middle of whatever it does."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(timeout=30)
            self._process = None

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.uri}/health", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False


def _until(answers: Any, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(900):
        assert process.poll() is None, log.read_text(errors="replace")
        if answers():
            return
        time.sleep(0.1)
    raise AssertionError(log.read_text(errors="replace"))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
