"""Where a campaign plays: a data folder on a disk of its own, a tracking server, nodes, and commands on these."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.processes import alive, command_of, descendants, named

__all__ = ["Command", "Stage"]

DISK = "192m"
FREED = 30.0
"""Seconds in which all processes of a command must be gone after it."""


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Command:
    """A launch of a sweep, under way."""

    def __init__(self, words: Sequence[str], environment: dict[str, str], folder: Path, number: int) -> None:
        self._out, self._err = folder / f"out-{number}", folder / f"err-{number}"
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self._process = subprocess.Popen(words, env=environment, cwd=folder, stdout=out, stderr=err)
        self.pid = self._process.pid
        self.began = time.monotonic()

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    @property
    def code(self) -> int | None:
        """How it ended."""
        return self._process.poll()

    def wait(self, seconds: float) -> bool:
        """Whether it ended by itself in that time."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        """It, and nothing that it started."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def processes(self, words: str) -> list[int]:
        """Those that it started, with such words in their command lines."""
        return named(words, descendants(self.pid))

    def said(self) -> str:
        """On standard error."""
        return self._err.read_text(errors="replace")

    def told(self) -> dict[str, Any]:
        """The object on standard output, empty if there is none."""
        text = self._out.read_text(errors="replace").strip()
        try:
            return dict(json.loads(text)) if text else {}
        except ValueError:
            return {"not JSON": text}


class Stage:
    """One for each sweep of a campaign; ``close`` ends all that runs on it.

    Where ``own_disk``, the data folder is a small file system of its own, which takes root and a mount namespace.
    """

    def __init__(self, folder: Path, own_disk: bool) -> None:
        self.folder, self.home = folder, folder / "home"
        self.orders = folder / "orders"
        self.home.mkdir(parents=True)
        self.orders.mkdir()
        self._own_disk = own_disk
        if own_disk:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", self.home], check=True)
        shutil.copy(Path(__file__).with_name("saboteur.py"), folder)
        self._commands = 0
        self._port = free_port()
        self._server: subprocess.Popen[bytes] | None = None
        self._nodes: list[subprocess.Popen[bytes]] = []
        self._head = ""

    def environment(self) -> dict[str, str]:
        """That of the machine, without what would lead elsewhere."""
        ours = {k: v for k, v in os.environ.items() if not k.startswith(("MLFLOW", "RAY_ADDRESS"))}
        return {**ours, "COLUMNS": "120", "OMP_NUM_THREADS": "1", "RAY_AUTH_MODE": "disabled"}

    def launch(self, *words: str) -> Command:
        """``tradeoff`` with these words."""
        self._commands += 1
        environment = {**self.environment(), "TRADEOFF_HOME": str(self.home)}
        return Command([sys.executable, "-m", "explorer", *words], environment, self.folder, self._commands)

    def left_behind(self) -> dict[int, str]:
        """Processes of commands that should be gone, with their command lines, after a while in which they may go."""
        marker, deadline = f"TRADEOFF_HOME={self.home}".encode(), time.monotonic() + FREED
        while True:
            left = {pid: command_of(pid) for pid in named("") if marker in _environment_of(pid)}
            if not left or time.monotonic() > deadline:
                return left
            time.sleep(0.5)

    # The disk

    def fill(self) -> None:
        """Until nothing more can be written."""
        with suppress(OSError), (self.home / "filler").open("wb", buffering=0) as file:
            while file.write(bytes(2**20)) == 2**20:
                pass
        with suppress(OSError), (self.home / "filler-2").open("wb", buffering=0) as file:
            while file.write(bytes(512)):
                pass

    def make_room(self) -> None:
        """What filled it is gone."""
        for name in ("filler", "filler-2"):
            (self.home / name).unlink(missing_ok=True)

    # The tracking server

    @property
    def server_uri(self) -> str:
        """Its address; it is started where it does not run."""
        if self._server is None:
            self.start_server()
        return f"http://127.0.0.1:{self._port}"

    def start_server(self) -> None:
        """On the file that commands without a server use, too."""
        command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(self._port)]
        command += ["--workers", "1", "--backend-store-uri", f"sqlite:///{self.home / 'mlflow.db'}"]
        environment = {
            **self.environment(),
            "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
            "MLFLOW_DISABLE_TELEMETRY": "true",
        }
        with (self.folder / "server").open("ab") as log:
            self._server = subprocess.Popen(
                command, cwd=self.folder, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        _until("the tracking server answers", self._server_answers)

    def _server_answers(self) -> bool:
        link = http.client.HTTPConnection("127.0.0.1", self._port, timeout=5)
        try:
            link.request("GET", "/health")
            return link.getresponse().status == 200
        except OSError:
            return False

    def kill_server(self) -> None:
        """With all its processes, from one moment to the next."""
        if self._server is not None:
            os.killpg(self._server.pid, signal.SIGKILL)
            self._server.wait()
            self._server = None

    # Nodes

    @property
    def address(self) -> str:
        """Of a cluster of two nodes, which is started where it does not run."""
        if not self._head:
            port = free_port()
            self._head = f"127.0.0.1:{port}"
            head = ["--head", f"--port={port}", "--node-ip-address=127.0.0.1", "--include-dashboard=false"]
            self._start_node(head)
            _until("the head listens", lambda: _listens(port))
            self.add_node()
        return self._head

    def add_node(self) -> None:
        """A further one, with one core."""
        self._start_node([f"--address={self._head}"])

    def _start_node(self, words: list[str]) -> None:
        command = [str(Path(sys.executable).with_name("ray")), "start", "--block", "--num-cpus=1"]
        environment = {**self.environment(), "RAY_prestart_worker_first_driver": "0"}
        environment |= {"PYTHONPATH": str(Path(__file__).parents[2]), "RAY_TMPDIR": str(self.folder)}
        with (self.folder / f"node-{len(self._nodes)}").open("wb") as log:
            self._nodes.append(
                subprocess.Popen(
                    [*command, "--disable-usage-stats", *words],
                    env=environment,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )

    def kill_node(self) -> None:
        """The newest, with all that runs on it."""
        _kill_all(self._nodes.pop())

    def close(self) -> None:
        """End what runs."""
        self.make_room()
        self.kill_server()
        while self._nodes:
            self.kill_node()
        for pid in self.left_behind():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if self._own_disk:
            subprocess.run(["umount", "--lazy", self.home], check=True)


def _kill_all(process: subprocess.Popen[bytes]) -> None:
    for pid in [process.pid, *descendants(process.pid)]:
        if alive(pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    process.wait()


def _environment_of(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def _until(what: str, holds: Any, seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"not in time: {what}")
        time.sleep(0.2)
