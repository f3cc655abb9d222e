"""Rows of the failure table in docs/running.md: a home that only reads, and a disk that is full."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from explorer.cli import command_line
from explorer.errors import UserError
from explorer.results.store import ResultStore
from explorer.store.addresses import sqlite_file
from explorer.store.database import make_database
from explorer.tracking import Tracker
from tests.full_disk import on_a_full_disk
from tests.stores import empty_store

READ_ONLY = "/proc/self"
"""A folder in which nobody, not even root, can make a file."""

SWEEP = """\
name: small
dataset: {name: gaussians8}
training: {iterations: 2}
space: {objective.name: [kl]}
"""


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "sweep.yaml").write_text(SWEEP)
    for name in ("real", "fake"):
        np.save(tmp_path / f"{name}.npy", np.random.default_rng(0).normal(size=(40, 3)))
    return {name: str(tmp_path / name) for name in ("sweep.yaml", "real.npy", "fake.npy")}


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["sweep", "sweep.yaml"], "must be writable .*; make room there or set TRADEOFF_HOME to another"),
        (["front", "small"], "which holds none yet; run `tradeoff sweep` first"),
        (["mlflow", "--port", "5099"], "cannot be made .*; make room, or choose a writable place with TRADEOFF_HOME"),
        (["measure", "real.npy", "fake.npy"], "/measure cannot be read or written"),
    ],
)  # fmt: skip
def test_a_home_that_only_reads_is_told(
    command: list[str], told: str, files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", READ_ONLY)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    result = CliRunner().invoke(command_line, [files.get(word, word) for word in command])
    assert isinstance(result.exception, UserError)
    with pytest.raises(UserError, match=told):
        raise result.exception


def test_a_full_disk_while_the_store_is_made_leaves_none(tmp_path: Path) -> None:
    file = tmp_path / "mlflow.db"
    told = on_a_full_disk(lambda: make_database(file), 100_000)
    assert f"tracking store '{file}' cannot be made (" in told
    assert told.endswith("); make room, or choose a writable place with TRADEOFF_HOME or tracking.uri")
    assert {path.name for path in tmp_path.iterdir()} == {"mlflow.db.lock"}


def opened(uri: str) -> Tracker:
    tracker = Tracker(uri, "tests")
    tracker.open_sweep("small", {"fid": "min"}, "", "", "{}")
    tracker.start([("a", {"seed": 1})])
    return tracker


@pytest.mark.parametrize("part", ["metrics", "artifacts"])
def test_a_full_disk_while_a_run_is_written_is_told_and_the_sweep_goes_on(part: str, tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    file = sqlite_file(uri)
    assert file is not None

    def write() -> None:
        tracker = opened(uri)
        tracker.log("a", 1, {"fid": 2.0})
        if part == "artifacts":
            tracker.artifacts("a", {"samples.json": "x" * 4_000_000})
        for step in range(2, 99):
            tracker.log("a", step, {f"m{i}": float(step) for i in range(500)})

    told = on_a_full_disk(write, file.stat().st_size + 200_000)
    assert f"tracking store 'sqlite:///{file}' fails (" in told
    assert told.endswith(
        "); make room or mend it, then run the same command again: a sweep goes on where it stopped"
    )
    tracker = opened(uri)  # there is room again
    tracker.log("a", 100, {"fid": 1.0})
    tracker.finish("a")
    (trial,) = ResultStore(uri).table("small")
    assert (trial.status, trial.metrics["fid"]) == ("finished", 1.0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a file that is always full")
def test_output_that_cannot_be_written_is_told() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "explorer", "presets"]
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr == (
        "tradeoff: nothing can be written (No space left on device); make room, then run the command again\n"
    )
