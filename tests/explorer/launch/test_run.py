"""The driver: what it refuses before it starts, what it tells, and that reading alone needs no Ray."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from explorer.errors import UserError
from explorer.launch.lock import sweep_lock
from explorer.launch.places import opened_spool
from explorer.launch.plan import Plan
from explorer.launch.run import Outcome, run_sweep
from explorer.sweep import load_sweep
from explorer.tracking.entries import now
from explorer.tracking.run_writer import Content, RunWriter
from tests.explorer.launch.small import configs, finish, small_sweep, tracker


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    return tmp_path


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_the_plan_is_announced_before_anything_is_started(home: Path) -> None:
    heard: list[Plan] = []
    with pytest.raises(UserError, match="no Ray cluster answers"):
        run_sweep(load_sweep("demo"), Console(quiet=True), f"127.0.0.1:{closed_port()}", heard.append)
    assert not (home / "mlflow.db").exists()
    assert [(plan.trials, plan.done) for plan in heard] == [(28, 0)]


def test_a_sweep_that_another_process_holds_is_refused() -> None:
    with sweep_lock("demo"), pytest.raises(UserError, match="sweep 'demo' is running already"):
        run_sweep(load_sweep("demo"), Console(quiet=True))


def test_a_sweep_is_not_complete_while_artifacts_of_it_wait(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = small_sweep(home)
    opened = tracker(sweep)
    for trial in configs(sweep):
        finish(opened, sweep, trial)
    opened.close_sweep(interrupted=False)
    told: list[str] = []
    with opened_spool(sweep, told.append) as spool:
        spool.put_files(next(iter(configs(sweep))), now() + 60_000, {"x.txt": b"text"})

    put = RunWriter._put

    def refused(self: RunWriter, place: str, files: dict[str, Content]) -> None:
        if "x.txt" in files:
            raise LookupError("413 too large")
        put(self, place, files)

    with monkeypatch.context() as patched:
        patched.setattr(RunWriter, "_put", refused)
        with pytest.raises(UserError, match=r"artifacts cannot be stored \(413 too large\); 1 result wait"):
            run_sweep(sweep, Console(quiet=True))
    assert run_sweep(sweep, Console(quiet=True)).finished == 2
    with opened_spool(sweep, told.append) as spool:
        assert len(spool) == 0


def test_what_is_unfinished_is_what_would_go_on() -> None:
    outcome = Outcome("s", trials=10, finished=6, failed=1, reused=2, iterations=5, interrupted=True)
    assert outcome.unfinished == 3
    assert outcome.sentence().endswith("; running the sweep again continues with the other 3")


def test_planning_loads_neither_ray_nor_torch(home: Path) -> None:
    code = (
        "import sys\n"
        "from explorer.sweep import load_sweep\n"
        "from explorer.launch.earlier import earlier_trials\n"
        "from explorer.launch.plan import make_plan\n"
        "sweep = load_sweep('demo')\n"
        "assert make_plan(sweep, earlier_trials(sweep)).trials == 28\n"
        "print([m for m in ('ray', 'torch', 'optuna', 'mlflow') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_finished_sweep_is_known_to_be_over_without_mlflow(home: Path) -> None:
    sweep = small_sweep(home)
    opened = tracker(sweep)
    for trial in configs(sweep):
        finish(opened, sweep, trial)
    opened.close_sweep(interrupted=False)
    assert run_sweep(sweep, Console(quiet=True)).reused == 2, "the first launch writes what the file says"
    code = (
        "import sys\nfrom pathlib import Path\nfrom rich.console import Console\n"
        "from explorer.launch.run import run_sweep\nfrom tests.explorer.launch.small import small_sweep\n"
        "outcome = run_sweep(small_sweep(Path(sys.argv[1])), Console(quiet=True))\n"
        "assert (outcome.reused, outcome.interrupted) == (2, False)\n"
        "print([m for m in ('ray', 'torch', 'optuna', 'mlflow') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(home)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
