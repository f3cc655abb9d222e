"""Jobs on a real head node: sent, followed, stopped; and servers that take none."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from explorer.errors import UserError
from explorer.launch import jobs
from explorer.launch.jobs import INTERRUPTED, Job, check_job_server, follow_job, submit_sweep
from explorer.launch.lock import sweep_lock
from explorer.results.store import ResultStore
from explorer.sweep import load_sweep
from tests.docker.stack import free_port, processes_of
from tests.stores import empty_store

TINY = """
plugins: [louder]
model: {generator: [8], critic: [8, 8]}
refinement: {budgets: [1]}
training: {iterations: 10, batch_size: 32}
evaluation: {samples: 100}
space: {objective.name: [sent_louder, hinge]}
"""
MEMBER = """
from dataclasses import dataclass
from trainables.objectives.hinge import Hinge

@dataclass(frozen=True)
class Louder(Hinge):
    name = "sent_louder"
"""


@dataclass(frozen=True)
class Head:
    """A head node: its job server, the port of its other server, and its data folder."""

    address: str
    port: str
    home: Path


@pytest.fixture(scope="module")
def head() -> Iterator[Head]:
    with TemporaryDirectory(dir="/tmp") as folder:  # short, since Ray puts sockets into it
        ports = {"port": free_port(), "dashboard-port": free_port()}
        others = {"ray-client-server-port": free_port(), "dashboard-agent-listen-port": free_port()}
        flags = [f"--{name}={port}" for name, port in (ports | others).items()]
        home = Path(folder) / "home"
        empty_store(home)
        environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("MLFLOW", "RAY_"))},
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "TRADEOFF_HOME": str(home),
            "RAY_TMPDIR": folder,
            "RAY_AUTH_MODE": "disabled",
            "RAY_USAGE_STATS_ENABLED": "0",
        }
        command = [
            str(Path(sys.executable).parent / "ray"),
            "start",
            "--head",
            "--block",
            "--num-cpus=1",
            *flags,
        ]
        with (Path(folder) / "log").open("w") as log:
            process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            address = f"http://127.0.0.1:{ports['dashboard-port']}"
            wait_for(f"{address}/api/gcs_healthz", process, Path(folder) / "log")
            yield Head(address, ports["port"], home)
        finally:
            process.terminate()
            process.wait(timeout=60)
            for left in processes_of(folder):
                os.kill(left, 9)


def wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        assert process.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(log.read_text())


@pytest.mark.cluster
def test_a_job_has_its_modules_and_variables_and_ends_as_the_sweep_does(
    head: Head, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "http://127.0.0.1:1")  # Ray itself would go there
    file = tmp_path / "sent.yaml"
    file.write_text(TINY)
    (tmp_path / "louder.py").write_text(MEMBER)
    sweep = load_sweep(file)
    store = f"sqlite:///{tmp_path / 'runs.db'}"
    job = submit_sweep(sweep, check_job_server(f"{head.address}/"), "first", {"MLFLOW_TRACKING_URI": store})
    said: list[str] = []
    code = follow_job(job, said.append)
    text = "".join(said)
    assert code == 0, text
    assert text.count("sweep sent is complete: 2 trials finished") == 1
    assert [trial.status for trial in ResultStore(store).table("sent")] == ["finished"] * 2
    assert os.environ["RAY_ADDRESS"] == "http://127.0.0.1:1"
    with pytest.raises(UserError, match="has a job 'first' already; choose another --name"):
        submit_sweep(sweep, head.address, "first", {})


def test_a_head_that_has_just_begun_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def submit() -> None:
        asked.append(time.monotonic())
        if len(asked) < 3:
            raise RuntimeError("Request failed with status code 500: No available agent to submit job.")

    monkeypatch.setattr(jobs.time, "sleep", lambda seconds: None)
    jobs._once_ready(submit)
    assert len(asked) == 3

    def refused() -> None:
        asked.append(time.monotonic())
        raise RuntimeError("no room")

    with pytest.raises(RuntimeError, match="no room"):
        jobs._once_ready(refused)
    assert len(asked) == 4


@pytest.mark.cluster
def test_a_sweep_that_runs_already_is_told_by_the_job(head: Head, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(head.home))
    said: list[str] = []
    with sweep_lock("demo"):
        code = follow_job(submit_sweep(load_sweep("demo"), head.address, "second", {}), said.append)
    assert code == 2
    assert "sweep 'demo' is running already" in "".join(said)


@pytest.mark.cluster
@pytest.mark.slow
def test_a_job_that_is_stopped_closes_its_runs(head: Head) -> None:
    from ray.job_submission import JobSubmissionClient

    endless = load_sweep("demo", ["name=endless", "training.iterations=1000000", "evaluation.every=1000000"])
    job = submit_sweep(endless, head.address, "third", {})
    store = ResultStore(f"sqlite:///{head.home / 'mlflow.db'}")

    def stop_it() -> None:
        for _ in range(600):
            if [s for s in store.sweeps() if s.name == "endless"] and len(store.table("endless")):
                break
            time.sleep(0.2)
        JobSubmissionClient(head.address).stop_job("third")

    stopper = threading.Thread(target=stop_it)
    stopper.start()
    assert follow_job(job, lambda text: None) == INTERRUPTED
    stopper.join()
    assert {trial.status for trial in store.table("endless")} == {"killed"}


@pytest.mark.cluster
def test_a_job_that_is_not_there_is_told(head: Head, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("explorer.launch.jobs.time.sleep", lambda seconds: None)
    with pytest.raises(
        UserError, match=r"job 'none' cannot be followed any longer: .*ray job logs --follow none"
    ):
        follow_job(Job("none", head.address), lambda text: None)


@pytest.mark.cluster
def test_the_wrong_port_of_a_head_is_told(head: Head) -> None:
    with pytest.raises(UserError, match=r"no Ray job server answers at .* \(.*no HTTP.*\); .*port 8265"):
        check_job_server(f"http://127.0.0.1:{head.port}")


@pytest.mark.parametrize(
    "address", ["auto", "127.0.0.1:8265", "ray://127.0.0.1:10001", "http://", "http://a b"]
)
def test_what_is_no_address_of_a_job_server_is_refused(address: str) -> None:
    with pytest.raises(UserError, match=r"the address must be http://HOST:8265"):
        check_job_server(address)


def test_nobody_there_is_told() -> None:
    with pytest.raises(
        UserError, match=r"no Ray job server answers at 'http://127.0.0.1:1' \(Connection refused\)"
    ):
        check_job_server("http://127.0.0.1:1")


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (200, '{"version": "4", "ray_version": "2.9.3"}', r"runs Ray 2.9.3, sweeps need 2.60 or newer"),
        (200, "hello", r"is no Ray job server \(status 200\)"),
        (404, "[1]", r"is no Ray job server \(status 404\)"),
        (401, "who?", r"asks for its token: set RAY_AUTH_MODE=token"),
        (403, "no", r"refuses our token"),
    ],
)  # fmt: skip
def test_servers_that_would_not_take_the_job_are_told(status: int, body: str, said: str) -> None:
    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Other)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with pytest.raises(UserError, match=said):
            check_job_server(f"http://127.0.0.1:{server.server_port}")
    finally:
        server.shutdown()
        server.server_close()
