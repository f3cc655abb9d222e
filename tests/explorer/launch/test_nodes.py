"""Three nodes that share no files; one is killed midway, one is added: all trials finish, none is lost, none twice."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.explorer.launch.conftest import Workplace
from tests.processes import alive, descendants
from tests.stores import empty_store

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(400)]

SWEEP = """
model: {generator: [8], critic: [8, 8]}
refinement: {budgets: [1]}
training: {iterations: 120, batch_size: 32}
evaluation: {samples: 100, every: 40}
seeds: 6
space:
  - objective.lam: [0.2, 1, 5]
  - objective.name: [hinge]
resources: {pack: 2}
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Nodes:
    """Nodes of a cluster on this machine, each with its own session folder; workers do not see the driver's files."""

    def __init__(self, folder: Path, hidden: Path) -> None:
        self.folder, self.hidden = folder, hidden
        self.address = f"127.0.0.1:{free_port()}"
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, head: bool = False) -> subprocess.Popen[bytes]:
        number = len(self.processes)
        home = self.folder / f"n{number}"
        home.mkdir()
        ray = [
            str(Path(sys.executable).with_name("ray")),
            "start",
            "--block",
            "--num-cpus=1",
            "--disable-usage-stats",
        ]
        if head:
            port = self.address.rpartition(":")[2]
            command = [
                *ray,
                "--head",
                f"--port={port}",
                "--node-ip-address=127.0.0.1",
                "--include-dashboard=false",
            ]
            command.append(f"--temp-dir={home}")
        else:
            joined = " ".join([*ray, f"--address={self.address}"])
            command = [
                "unshare",
                "--mount",
                "sh",
                "-c",
                f"mount -t tmpfs none {self.hidden} && exec {joined}",
            ]
        environment = {
            **os.environ,
            "HOME": str(home),
            "RAY_AUTH_MODE": "disabled",
            "RAY_prestart_worker_first_driver": "0",
        }
        environment.pop("RAY_ADDRESS", None)
        with (home / "said").open("wb") as said:
            process = subprocess.Popen(
                command, env=environment, stdout=said, stderr=said, start_new_session=True
            )
        self.processes.append(process)
        return process

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """The node is gone from one moment to the next, with all that ran on it."""
        doomed = [process.pid, *descendants(process.pid)]
        for pid in doomed:
            if alive(pid):
                os.kill(pid, signal.SIGKILL)
        process.wait()


@pytest.fixture
def nodes(workplace: Workplace) -> Iterator[Nodes]:
    if shutil.which("unshare") is None or os.geteuid() != 0:
        pytest.skip("a view of the files of its own for each node takes root and unshare")
    workplace.home.mkdir(exist_ok=True)
    with TemporaryDirectory(dir="/tmp") as folder:  # short, since Ray puts sockets into it
        found = Nodes(Path(folder), workplace.home)
        yield found
        for process in reversed(found.processes):
            if process.poll() is None:
                found.kill(process)


def finished(place: Workplace) -> int:
    return sum(status == "FINISHED" for trial, status in place.runs("tiny")[0].items() if trial != "parent")


def until(what: str, holds: object, seconds: float = 200.0) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if holds():  # type: ignore[operator]
                return
        except (AssertionError, AttributeError, OSError):
            pass  # the head does not listen, or the sweep's run is not there yet
        time.sleep(0.5)
    raise AssertionError(f"not in time: {what}")


def test_a_node_is_killed_and_another_added(workplace: Workplace, nodes: Nodes) -> None:
    empty_store(workplace.home)
    head = nodes.start(head=True)
    until("the head listens", lambda: socket.create_connection(("127.0.0.1", int(nodes.address[10:])), 1))
    victim, _ = nodes.start(), nodes.start()
    file = workplace.file(text=SWEEP)
    workplace.environment["RAY_AUTH_MODE"] = "disabled"
    driver = workplace.start("sweep", file, "--address", nodes.address, "--json")
    until("some trials are finished", lambda: finished(workplace) >= 4)
    nodes.kill(victim)
    nodes.start()
    _, err = driver.communicate(timeout=300)
    assert driver.returncode == 0, err
    assert "Traceback" not in err
    statuses, counts = workplace.runs("tiny")
    assert len(counts) == 24
    assert set(counts.values()) == {1}, "none twice"
    assert set(statuses.values()) == {"FINISHED"}, "none lost, none left RUNNING"
    kept = {path.parent.name for path in (workplace.home / "checkpoints").glob("*/120.pt")}
    assert kept == set(counts), "all final states came to the driver's folder"
    assert head.poll() is None
