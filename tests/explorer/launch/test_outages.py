"""A real sweep on ``mlflow server`` with PostgreSQL that is stopped meanwhile: every value is there, once.

Training does not wait for the store: when evaluations were made is told by their moments, which MLflow keeps.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from tests.postgres import Postgres, TrackingServer, running_postgres

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(900)]

SLEEPER = '''
import time
from dataclasses import dataclass
from typing import ClassVar

from trainables.metrics import Entry, Metric, Scores


@dataclass(frozen=True)
class Sleeper(Metric):
    """Takes its time, so that a sweep of trials that train in a blink takes as long as is wanted."""

    name: ClassVar[str] = "sleeper"
    entries: ClassVar = (Entry("awake", "Awake", "Always 1.", "max", 0, 1),)
    seconds: float = 0.1

    def measure(self, pair):
        time.sleep(self.seconds)
        return Scores({"awake": 1.0})
'''

SWEEP = """
name: patient
plugins: [sleeper]
model: {generator: [4], critic: [4]}
objective: {name: gan}
refinement: {budgets: [1, 2]}
training: {iterations: %(iterations)d, batch_size: 8}
evaluation: {samples: 40, every: 2, metrics: [neighbours, {name: sleeper, seconds: %(seconds)g}]}
space: {training.generator_lr: [0.001, 0.002]}
resources: {storage: "%(folder)s/checkpoints", pack: 1}
tracking: {uri: "%(uri)s", experiment: outages}
"""
TRIALS = 2


@dataclass
class Sweep:
    """A sweep that evaluates each of two trials ``evaluations`` times, which takes about ``seconds``."""

    folder: Path
    server: TrackingServer
    store: Postgres
    evaluations: int

    def write(self, seconds: float) -> None:
        self.folder.mkdir()
        (self.folder / "sleeper.py").write_text(SLEEPER)
        pace = seconds / self.evaluations
        words = {
            "iterations": 2 * self.evaluations,
            "seconds": pace,
            "folder": self.folder,
            "uri": self.server.uri,
        }
        (self.folder / "patient.yaml").write_text(SWEEP % words)

    def launch(self) -> subprocess.Popen[str]:
        environment = {**os.environ, "TRADEOFF_HOME": str(self.folder / "home"), "OMP_NUM_THREADS": "1"}
        environment.pop("MLFLOW_TRACKING_URI", None)
        self.log = (self.folder / "log").open("a+")
        return subprocess.Popen(
            [sys.executable, "-m", "explorer", "sweep", str(self.folder / "patient.yaml")],
            cwd=self.folder,
            env=environment,
            stdout=self.log,
            stderr=self.log,
            text=True,
        )

    def said(self) -> str:
        return (self.folder / "log").read_text()

    def moments(self) -> list[float]:
        """When evaluations were made, in seconds; as the store has it."""
        query = "SELECT DISTINCT run_uuid, timestamp FROM metrics WHERE key = 'awake' ORDER BY timestamp"
        return [int(at) / 1000 for _, at in self.store.rows(query)]

    def wait_for(self, evaluations: int, process: subprocess.Popen[str]) -> None:
        deadline = time.monotonic() + 180
        while len(self.moments()) < evaluations:
            assert process.poll() is None, self.said()
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.2)

    def check_complete(self) -> None:
        """Every value of every trial, once; every trial finished, one run each."""
        assert self.store.rows(
            "SELECT run_uuid, key, step FROM metrics GROUP BY run_uuid, key, step HAVING count(*) > 1"
        ) == []  # fmt: skip
        trials = self.store.rows(
            "SELECT runs.run_uuid, runs.status, runs.lifecycle_stage FROM runs JOIN tags USING (run_uuid) "
            "WHERE tags.key = 'tradeoff.kind' AND tags.value = 'trial'"
        )
        assert [row[1:] for row in trials] == [("FINISHED", "active")] * TRIALS
        steps = list(range(2, 2 * self.evaluations + 1, 2))
        for run, *_ in trials:
            for key in ("precision", "recall", "awake"):
                query = f"SELECT step FROM metrics WHERE run_uuid = '{run}' AND key = '{key}' ORDER BY step"
                assert [step for (step,) in self.store.rows(query)] == steps
            (files,) = self.store.rows(
                f"SELECT value FROM tags WHERE run_uuid = '{run}' AND key = 'tradeoff.files'"
            )[0]
            assert "curve.json" in files
        assert not list((self.folder / "home" / "spool").glob("*")), "nothing waits any more"


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as found:
        yield found


@pytest.fixture
def server(postgres: Postgres, tmp_path: Path) -> Iterator[TrackingServer]:
    found = TrackingServer(postgres.address, tmp_path)
    found.up()
    postgres.rows("TRUNCATE runs CASCADE")
    yield found
    found.down()


def sweep_of(
    tmp_path: Path, server: TrackingServer, postgres: Postgres, evaluations: int, seconds: float
) -> Sweep:
    made = Sweep(tmp_path / "work", server, postgres, evaluations)
    made.write(seconds)
    return made


@pytest.mark.parametrize(
    "away", [5.0, pytest.param(30.0, marks=pytest.mark.slow), pytest.param(180.0, marks=pytest.mark.slow)]
)
def test_a_server_that_is_away_costs_neither_time_nor_results(
    away: float, tmp_path: Path, server: TrackingServer, postgres: Postgres
) -> None:
    sweep = sweep_of(tmp_path, server, postgres, evaluations=40, seconds=1.4 * away + 4)
    process = sweep.launch()
    sweep.wait_for(4, process)
    server.down()
    gone = time.time()
    time.sleep(away)
    back = time.time()
    server.up()
    assert process.wait(timeout=600) == 0, sweep.said()
    sweep.check_complete()
    moments = sweep.moments()
    assert len(moments) == 40 * TRIALS
    gaps = [b - a for a, b in pairwise(moments)]
    assert sum(gone < at < back for at in moments) >= 10, "trials were evaluated while the server was away"
    assert max(gaps) < away / 2, "and did not stop for it"
    assert "tradeoff: " not in sweep.said()


@pytest.mark.parametrize("away", [6.0, pytest.param(180.0, marks=pytest.mark.slow)])
def test_a_driver_that_is_killed_while_the_server_is_away_loses_nothing(
    away: float, tmp_path: Path, server: TrackingServer, postgres: Postgres
) -> None:
    sweep = sweep_of(tmp_path, server, postgres, evaluations=40, seconds=2 * away)
    process = sweep.launch()
    sweep.wait_for(4, process)
    known = len(sweep.moments())
    server.down()
    gone = time.time()
    time.sleep(away / 2)
    process.send_signal(signal.SIGKILL)
    killed = time.time()
    process.wait()
    time.sleep(away / 2)
    server.up()
    assert len(sweep.moments()) < known + 4, "what was told since waits on the driver's machine"
    assert sweep.launch().wait(timeout=600) == 0, sweep.said()
    assert "that the last launch could not send" in sweep.said()
    sweep.check_complete()
    assert sum(gone < at < killed for at in sweep.moments()) >= 4, (
        "what was measured then was not measured again"
    )


@pytest.mark.slow
def test_a_sweep_that_ends_while_the_server_is_away_says_where_its_results_wait(
    tmp_path: Path, server: TrackingServer, postgres: Postgres
) -> None:
    sweep = sweep_of(tmp_path, server, postgres, evaluations=10, seconds=6)
    file = sweep.folder / "patient.yaml"
    file.write_text(file.read_text().replace("experiment: outages", "experiment: outages, patience: 1"))
    process = sweep.launch()
    sweep.wait_for(2, process)
    server.down()
    assert process.wait(timeout=300) == 2, sweep.said()
    assert "does not take all that was measured" in sweep.said()
    assert sweep.launch().wait(timeout=300) == 2, "while it is away nothing can be known of the sweep"
    assert "Traceback" not in sweep.said()
    server.up()
    assert sweep.launch().wait(timeout=300) == 0, sweep.said()
    assert "2 trials finished" in sweep.said()
    sweep.check_complete()
