"""Sweeps run for real, as a user runs them: the command, Ray, SQLite MLflow, a data folder of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from typer.testing import CliRunner

from explorer.cli import command_line
from tests.stores import empty_store

TINY = """
model: {generator: [8], critic: [8, 8]}
refinement: {budgets: [1, 2]}
training: {iterations: %(iterations)d, batch_size: 32}
evaluation: {samples: 200, every: %(every)d}
seeds: 2
space:
  - objective.lam: [0.2, 1, 5]
  - objective.name: [hinge]
resources: {pack: %(pack)d, cpus: 2}
"""


class Workplace:
    """A data folder and the commands run in it, on a running Ray if there is an address, else embedded."""

    def __init__(self, folder: Path, address: str | None = None) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.address = address
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("MLFLOW")},
            "TRADEOFF_HOME": str(self.home),
            "COLUMNS": "120",
        }

    def file(
        self, name: str = "tiny", text: str = TINY, iterations: int = 40, every: int = 20, pack: int = 4
    ) -> Path:
        path = self.folder / f"{name}.yaml"
        sizes = {"iterations": iterations, "every": every, "pack": pack}
        path.write_text(text % sizes if "%(" in text else text)
        return path

    def embedded(self) -> Workplace:
        """The same place, where every command starts a Ray of its own."""
        return Workplace(self.folder)

    def start(self, *arguments: str | Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "explorer", *self._words(arguments)],
            env=self.environment,
            cwd=self.folder,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *arguments: str | Path, code: int = 0) -> tuple[str, str]:
        process = self.start(*arguments)
        out, err = process.communicate(timeout=280)
        assert process.returncode == code, f"exit {process.returncode}\n{out}\n{err}"
        return out, err

    def json(self, *arguments: str | Path) -> Any:
        return json.loads(self.run(*arguments, "--json")[0])

    def here(self, *arguments: str | Path) -> str:
        """What the same command prints when run in this process: one of its own spends seconds on imports."""
        return self.run_here(*arguments)[0]

    def run_here(self, *arguments: str | Path, code: int = 0) -> tuple[str, str]:
        """The same with standard error."""
        environment: dict[str, str | None] = {name: None for name in os.environ if name.startswith("MLFLOW")}
        environment |= {"TRADEOFF_HOME": str(self.home)}
        words = self._words(arguments)
        called = CliRunner().invoke(command_line, words, catch_exceptions=False, env=environment)
        assert called.exit_code == code, f"exit {called.exit_code}\n{called.output}"
        return called.stdout, called.stderr

    def json_here(self, *arguments: str | Path) -> Any:
        return json.loads(self.here(*arguments, "--json"))

    def _words(self, arguments: Sequence[str | Path]) -> list[str]:
        joins = self.address is not None and arguments[0] == "sweep" and "--address" not in arguments
        return [*map(str, arguments), *(["--address", str(self.address)] if joins else [])]

    def runs(self, sweep: str) -> tuple[dict[str, str], Counter[str]]:
        """Statuses of trials by identity as MLflow itself has them, and how many runs each identity has."""
        found = self._found(sweep)[1]
        trials = [r for r in found if r.data.tags["tradeoff.kind"] == "trial"]
        parents = [r for r in found if r.data.tags["tradeoff.kind"] == "sweep"]
        assert len(parents) == 1
        statuses = {r.data.tags["tradeoff.trial"]: r.info.status for r in trials}
        statuses["parent"] = parents[0].info.status
        return statuses, Counter(r.data.tags["tradeoff.trial"] for r in trials)

    def reopen(self, sweep: str) -> None:
        """Set every run of a sweep back to RUNNING, as a driver killed at the end leaves them."""
        client, found = self._found(sweep)
        for run in found:
            client.update_run(run.info.run_id, status="RUNNING")

    def _found(self, sweep: str) -> tuple[Any, list[Any]]:
        from mlflow import MlflowClient

        client = MlflowClient(f"sqlite:///{self.home / 'mlflow.db'}")
        experiment = client.get_experiment_by_name("tradeoff-explorer")
        where = f"tags.`tradeoff.sweep` = '{sweep}'"
        return client, list(client.search_runs([experiment.experiment_id], where, max_results=1000))


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    """Every command starts a Ray of its own."""
    return Workplace(tmp_path)


PACKAGE = """
from dataclasses import dataclass
from trainables.objectives.hinge import Hinge


@dataclass(frozen=True)
class Louder(Hinge):
    name = "louder"
    gain: float = 2.0

    def generator_loss(self, fake, columns):
        return self.gain * super().generator_loss(fake, columns)
"""


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a package with a member is installed that only the nodes of the shared runtime have."""
    folder = tmp_path_factory.mktemp("installed")
    info = folder / "our_lab-1.0.dist-info"
    info.mkdir()
    (folder / "our_lab.py").write_text(PACKAGE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: our-lab\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[tradeoff.objectives]\nlouder = our_lab:Louder\n")
    return folder


@pytest.fixture(scope="package")
def ray_address(installed: Path) -> Iterator[str]:
    """One Ray runtime for all tests of a process that need no fresh one; commands join it as a cluster."""
    script = (
        "import ray, sys\n"
        "ray.init('local', num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level='ERROR',\n"
        "         _node_ip_address='127.0.0.1')\n"
        "print(ray.get_runtime_context().gcs_address, flush=True)\n"
        "sys.stdin.read()"  # until the pipe is closed, also by our own death
    )
    # Ray guards a runtime of its own by a token, which it does not send to an address that is named.
    environment = {**os.environ, "RAY_AUTH_MODE": "disabled", "RAY_prestart_worker_first_driver": "0"}
    ours = os.environ.get("PYTHONPATH")  # where this is no installed copy
    environment["PYTHONPATH"] = os.pathsep.join([str(installed), *([ours] if ours else [])])
    with subprocess.Popen(
        [sys.executable, "-c", script],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as head:
        assert head.stdout is not None
        address = head.stdout.readline().strip()
        assert address, "Ray did not start"
        yield address
        head.communicate(timeout=60)


@pytest.fixture
def on_cluster(tmp_path: Path, ray_address: str) -> Workplace:
    """Commands run on the shared Ray runtime, and find MLflow's tables made."""
    place = Workplace(tmp_path, ray_address)
    empty_store(place.home)
    return place


@pytest.fixture
def killed_cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A machine on which ``ray start`` has been killed: where it was is still written down."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with TemporaryDirectory(dir="/tmp") as folder:  # short, since Ray puts sockets into it
        monkeypatch.setenv("RAY_TMPDIR", folder)
        (Path(folder) / "ray").mkdir()
        (Path(folder) / "ray" / "ray_current_cluster").write_text("127.0.0.1:1\n")
        yield folder


@pytest.fixture
def threads() -> Iterator[None]:
    """Work on packs sets how many threads torch has; afterwards there are as many as before."""
    import torch

    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)
