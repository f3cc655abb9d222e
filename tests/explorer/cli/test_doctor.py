"""``tradeoff doctor``: what it prints, how it ends, and that it mends what it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from explorer.cli import command_line
from explorer.errors import UserError
from explorer.results.store import ResultStore
from tests.explorer.doctor.broken import A, B, again, left_running
from tests.stores import empty_store


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("MLFLOW_TRACKING_URI", "RAY_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def call(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(command_line, ["doctor", *words])
    if isinstance(done.exception, UserError):
        raise done.exception
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout


def test_a_healthy_place_ends_well_and_fits_eighty_columns() -> None:
    code, said = call()
    assert code == 0, said
    assert said.splitlines()[-1].startswith("nothing is wrong")
    assert max(map(len, said.splitlines())) <= 80


def test_problems_end_with_code_one_until_they_are_mended(home: Path) -> None:
    left_running(home)
    again(home, A)
    (home / "checkpoints" / A).mkdir(parents=True)
    half = home / "checkpoints" / A / ".8.pt.999999999.partial"
    half.write_bytes(b"half")
    os.utime(half, (0, 0))
    (home / "checkpoints" / A / "8.pt").write_bytes(b"whole")
    code, said = call()
    assert code == 1
    assert "✗" in said
    assert said.splitlines()[-1].endswith("--fix repairs what can be repaired")
    code, said = call("--fix")
    assert code == 0, said
    assert not list((home / "checkpoints" / A).glob(".*"))
    assert (home / "checkpoints" / A / "8.pt").read_bytes() == b"whole"
    store = ResultStore(f"sqlite:///{home / 'mlflow.db'}")
    assert {trial.id: trial.status for trial in store.table("s")}[A] == "finished"
    assert {trial.id: trial.status for trial in store.table("s")}[B] == "killed"
    assert call()[0] == 0


def test_json_has_every_finding_and_what_was_mended(home: Path) -> None:
    left_running(home)
    code, said = call("--json")
    told = json.loads(said)
    assert code == 1
    assert [one["sentence"] for one in told["findings"] if one["state"] == "problem"] == [
        "2 runs of sweep 's' marked RUNNING, and nobody drives it"
    ]
    told = json.loads(call("s", "--json", "--fix")[1])
    assert "2 runs of sweep 's' marked KILLED" in told["mended"]
    assert not [one for one in told["findings"] if one["state"] == "problem"]


def test_a_sweep_that_is_not_there_and_an_address_that_is_none_are_the_users(home: Path) -> None:
    empty_store(home)
    with pytest.raises(UserError, match="no sweep 'nope' in this store"):
        call("nope")
    with pytest.raises(UserError, match="must be auto or HOST:PORT"):
        call("--address", "nowhere")


def test_the_command_loads_nothing_heavy_where_all_is_well(home: Path) -> None:
    tracker = left_running(home)
    tracker.close_sweep(interrupted=False)
    code = (
        "import sys\nfrom explorer.cli import main\nsys.argv = ['tradeoff', 'doctor']\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        "heavy = [m for m in ('ray', 'torch', 'optuna', 'mlflow', 'pandas') if m in sys.modules]\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ, stdout=subprocess.DEVNULL)
