"""The Slurm launcher, with small stand-ins for srun and scontrol that start its steps on this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from explorer.results.store import ResultStore
from tests.docker.stack import DOCKER, processes_of
from tests.stores import empty_store

SRUN = """#!/usr/bin/env bash
while [[ "$1" == --* ]]; do shift; done
exec "$@"
"""
SCONTROL = """#!/usr/bin/env bash
if [ "$1" = show ]; then printf 'localhost\\nlocalhost\\n'; else echo "$@" >> "$CALLS"; fi
"""
SWEEP = """
name: queued
model: {generator: [8], critic: [8, 8]}
refinement: {budgets: [1]}
training: {iterations: %d, batch_size: 32}
evaluation: {samples: 100, every: 1000000}
space: {objective.lam: [0.2, 5]}
"""


class Nodes:
    """A job of two nodes in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home, self.calls = folder, folder / "home", folder / "calls"
        for name, text in (("srun", SRUN), ("scontrol", SCONTROL)):
            tool = folder / "bin" / name
            tool.parent.mkdir(exist_ok=True)
            tool.write_text(text)
            tool.chmod(0o755)
        empty_store(self.home)

    def start(self, iterations: int, restart: int) -> subprocess.Popen[str]:
        (self.folder / "queued.yaml").write_text(SWEEP % iterations)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("MLFLOW", "RAY_"))}
        environment = kept | {
            "PATH": f"{self.folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "TMPDIR": str(self.folder),
            "TRADEOFF_HOME": str(self.home),
            "CALLS": str(self.calls),
            "SLURM_JOB_ID": str(os.getpid()),
            "SLURM_JOB_NODELIST": "localhost,localhost",
            "SLURM_CPUS_PER_TASK": "1",
            "SLURM_RESTART_COUNT": str(restart),
        }
        return subprocess.Popen(
            [DOCKER / "slurm" / "sweep.sbatch", "queued.yaml"],
            cwd=self.folder,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def statuses(self) -> list[str]:
        store = ResultStore(f"sqlite:///{self.home / 'mlflow.db'}")
        known = [sweep.name for sweep in store.sweeps()]
        return [trial.status for trial in store.table("queued")] if "queued" in known else []


@pytest.fixture
def nodes() -> Iterator[Nodes]:
    with TemporaryDirectory(dir="/tmp") as folder:  # short, since Ray puts sockets into it
        yield Nodes(Path(folder))
        for left in processes_of(folder):
            os.kill(left, signal.SIGKILL)


@pytest.mark.cluster
@pytest.mark.timeout(600)
@pytest.mark.slow
def test_a_job_whose_time_is_up_is_queued_again_and_the_next_try_ends_it(nodes: Nodes) -> None:
    first = nodes.start(1_000_000, 0)
    for _ in range(600):
        if nodes.statuses() == ["running"] * 2:
            break
        assert first.poll() is None, first.communicate()[0]
        time.sleep(0.2)
    first.send_signal(signal.SIGUSR1)
    said, _ = first.communicate(timeout=120)
    assert first.returncode == 130, said
    assert nodes.calls.read_text() == f"requeue {os.getpid()}\n"
    assert nodes.statuses() == ["killed"] * 2
    assert processes_of(str(nodes.folder)) == [], "Ray ended with the job"
    assert not list((nodes.home / "slurm").iterdir()), "the token went with it"

    second = nodes.start(10, 1)
    said, _ = second.communicate(timeout=200)
    assert second.returncode == 0, said
    assert "sweep queued is complete: 2 trials finished" in said
    assert processes_of(str(nodes.folder)) == []


def test_without_a_sweep_it_says_what_it_takes(tmp_path: Path) -> None:
    asked = subprocess.run([DOCKER / "slurm" / "sweep.sbatch"], text=True, capture_output=True)
    assert asked.returncode == 2
    assert "usage: sbatch sweep.sbatch FILE|PRESET" in asked.stderr
