"""Orphans, duplicates and runs that nobody drives: found in real stores, and mended without loss."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from explorer.doctor.runs import check_runs, take_inventory
from explorer.errors import UserError
from explorer.results.store import ResultStore
from explorer.store.connection import Connection
from explorer.store.holders import Holder
from explorer.store.schema import LEASE, PARENT
from explorer.tracking import Lease
from tests.explorer.doctor.broken import A, B, C, again, found, left_running, subject


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))


def look(folder: Path, about: str, sweep: str | None = None) -> list:  # type: ignore[type-arg]
    asked = subject(folder, sweep=sweep)
    return found(check_runs(asked, take_inventory(asked)), about)


def statuses(folder: Path) -> dict[str, str]:
    return {trial.id: trial.status for trial in ResultStore(f"sqlite:///{folder / 'mlflow.db'}").table("s")}


def test_a_sweep_that_ended_well_is_in_its_place(tmp_path: Path) -> None:
    left_running(tmp_path).close_sweep(interrupted=False)
    (one,) = look(tmp_path, "runs")
    assert (one.state, one.sentence) == ("ok", "3 trials of 1 sweep, each in its place")


def test_runs_that_nobody_drives_are_marked_and_what_is_finished_stays(tmp_path: Path) -> None:
    left_running(tmp_path)
    (problem,) = look(tmp_path, "sweeps")
    assert (problem.state, problem.sentence) == (
        "problem", "2 runs of sweep 's' marked RUNNING, and nobody drives it",
    )  # fmt: skip
    assert look(tmp_path, "sweeps", "other") == []
    assert problem.repair() == "2 runs of sweep 's' marked KILLED"
    assert statuses(tmp_path) == {A: "finished", B: "killed", C: "failed"}
    assert look(tmp_path, "sweeps") == []


def test_a_sweep_that_is_driven_is_left_alone(tmp_path: Path) -> None:
    left_running(tmp_path)
    uri = f"sqlite:///{tmp_path / 'mlflow.db'}"
    (problem,) = look(tmp_path, "sweeps")
    with Lease(uri, "tests", "s") as lease:
        assert lease.take_known()
        (one,) = look(tmp_path, "sweeps")
        assert one.state == "ok"
        with pytest.raises(UserError, match="is running already"):
            problem.repair()
    assert statuses(tmp_path)[B] == "running"


def test_of_a_driver_on_another_machine_nothing_is_said_for_sure(tmp_path: Path) -> None:
    left_running(tmp_path)
    (parent,) = take_inventory(subject(tmp_path)).parents
    far = replace(Holder.here(), host="far-away", machine="another")
    Connection(f"sqlite:///{tmp_path / 'mlflow.db'}").client.set_tag(parent.run_id, LEASE, far.text())
    (note,) = look(tmp_path, "sweeps")
    assert note.state == "note"
    assert "runs on far-away (process" in note.sentence


def test_a_driver_of_an_earlier_version_is_seen_by_its_lock(tmp_path: Path) -> None:
    left_running(tmp_path)
    code = (
        "import sys; from explorer.launch.lock import sweep_lock\n"
        "with sweep_lock('s'): print(1, flush=True); sys.stdin.read()"
    )
    driver = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert driver.stdout is not None
    driver.stdout.readline()
    (one,) = look(tmp_path, "sweeps")
    assert (one.state, one.sentence) == ("ok", "sweep 's' runs on this machine")
    driver.communicate()


def test_of_several_runs_of_a_trial_the_most_complete_stays(tmp_path: Path) -> None:
    left_running(tmp_path).close_sweep(interrupted=False)
    finished = next(
        t.run_id for t in ResultStore(f"sqlite:///{tmp_path / 'mlflow.db'}").table("s") if t.id == A
    )
    extra = again(tmp_path, A)
    (problem,) = look(tmp_path, "duplicates")
    assert problem.sentence == f"1 trial of sweep 's' with several runs, e.g. {A}"
    assert problem.repair() == "1 run moved to MLflow's trash"
    store = Connection(f"sqlite:///{tmp_path / 'mlflow.db'}").client
    assert store.get_run(extra).info.lifecycle_stage == "deleted"
    assert store.get_run(finished).info.lifecycle_stage == "active"
    assert look(tmp_path, "duplicates") == []


def test_orphans_go_under_the_run_that_the_sweep_has(tmp_path: Path) -> None:
    left_running(tmp_path).close_sweep(interrupted=False)
    orphan = again(tmp_path, "d" * 12, parent="0" * 32)
    (problem,) = look(tmp_path, "orphans")
    assert problem.sentence == "1 trial of sweep 's' without the sweep's own run"
    problem.repair()
    (parent,) = take_inventory(subject(tmp_path)).parents
    assert Connection(f"sqlite:///{tmp_path / 'mlflow.db'}").run(orphan).tags[PARENT] == parent.run_id
    assert look(tmp_path, "orphans") == []


def test_orphans_without_any_sweep_lose_nothing_that_is_finished(tmp_path: Path) -> None:
    left_running(tmp_path)
    (parent,) = take_inventory(subject(tmp_path)).parents
    client = Connection(f"sqlite:///{tmp_path / 'mlflow.db'}").client
    client.delete_run(parent.run_id)
    (problem,) = look(tmp_path, "orphans")
    assert f"mlflow runs restore --run-id {parent.run_id}" in problem.remedy
    assert problem.repair() == "2 runs moved to MLflow's trash"
    (problem,) = look(tmp_path, "orphans")
    assert problem.sentence.startswith("1 trial of sweep 's'")
    assert problem.repair is None, "it is finished"
    client.restore_run(parent.run_id)
    assert statuses(tmp_path) == {A: "finished"}
