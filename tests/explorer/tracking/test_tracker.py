"""The tracker against real MLflow on SQLite."""

import json
import logging
import math
import shutil
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.store.connection import TrackingUnavailable
from explorer.store.schema import metric_key
from explorer.tracking import Tracker

OBJECTIVES = {"precision": "max", "recall": "max", "fid": "min"}
PARAMS = {"objective.name": "pr", "objective.lam": 0.1, "seed": 3, "spectral": True, "note": None}


@pytest.fixture(scope="module")
def uri(tmp_path_factory):
    return f"sqlite:///{tmp_path_factory.mktemp('store')}/mlflow.db"


@pytest.fixture
def sweep(request):
    return request.node.name


def opened(uri, sweep, experiment="tests", **kwargs):
    tracker = Tracker(uri, experiment, **kwargs)
    tracker.open_sweep(sweep, OBJECTIVES, "what it is for", "name: x\n")
    return tracker


def runs_of(uri, sweep, kind="trial"):
    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=uri)
    ids = [e.experiment_id for e in client.search_experiments()]
    runs = client.search_runs(ids, f"tags.`tradeoff.kind` = '{kind}'")
    return [r for r in runs if r.data.tags["tradeoff.sweep"] == sweep]


def history(uri, run, key):
    from mlflow import MlflowClient

    return [
        (m.step, m.value) for m in MlflowClient(tracking_uri=uri).get_metric_history(run.info.run_id, key)
    ]


def test_a_trial_from_start_to_finish(uri, sweep):
    tracker = opened(uri, sweep)
    tracker.start([("a1", PARAMS)])
    tracker.log("a1", 10, {"precision": 0.5, metric_key(1.5, "acceptance"): 0.66})
    tracker.log("a1", 20, {"precision": 0.75, metric_key(1.5, "acceptance"): 0.67})
    tracker.artifacts("a1", {"curve.json": '{"λ": 1}', "samples.png": b"\x89PNG"})
    tracker.finish("a1")
    tracker.close_sweep(interrupted=False)

    (run,) = runs_of(uri, sweep)
    (parent,) = runs_of(uri, sweep, "sweep")
    assert run.info.status == parent.info.status == "FINISHED"
    assert run.data.tags["mlflow.parentRunId"] == parent.info.run_id
    assert run.data.tags["tradeoff.trial"] == "a1"
    assert {k: json.loads(v) for k, v in run.data.params.items()} == PARAMS
    assert run.data.metrics == {"precision": 0.75, "K1.5/acceptance": 0.67}
    assert history(uri, run, "precision") == [(10, 0.5), (20, 0.75)]
    assert json.loads(parent.data.tags["tradeoff.objectives"]) == OBJECTIVES
    assert parent.data.tags["tradeoff.trials"] == "1"
    folder = Path(run.info.artifact_uri.removeprefix("file://"))
    assert (folder / "samples.png").read_bytes() == b"\x89PNG"
    assert json.loads((folder / "curve.json").read_text()) == {"λ": 1}
    assert (Path(parent.info.artifact_uri.removeprefix("file://")) / "sweep.yaml").read_text() == "name: x\n"


def test_opening_again_finds_the_same_runs(uri, sweep):
    first = opened(uri, sweep)
    first.start([("a", PARAMS), ("b", PARAMS), ("c", PARAMS), ("d", PARAMS)])
    first.log("a", 100, {"fid": 1.0})
    first.finish("a")
    first.log("b", 50, {"fid": 2.0, "precision": 0.5})
    first.fail("c", "the loss was NaN")
    # The driver dies here: nothing is closed.

    again = opened(uri, sweep)
    known = again.known()
    assert {i: (k.status, k.last_step) for i, k in known.items()} == {
        "a": ("finished", 100), "b": ("running", 50), "c": ("failed", None), "d": ("running", None)
    }  # fmt: skip
    assert known == first.known()
    again.start([("b", PARAMS), ("c", PARAMS)])
    again.log("b", 50, {"fid": 2.5})
    again.log("b", 60, {"fid": 3.0})
    again.finish("b")
    again.finish("c")
    again.close_sweep(interrupted=False)

    runs = {r.data.tags["tradeoff.trial"]: r for r in runs_of(uri, sweep)}
    assert len(runs_of(uri, sweep)) == 4
    assert len(runs_of(uri, sweep, "sweep")) == 1
    assert {i: r.info.status for i, r in runs.items()} == {
        "a": "FINISHED", "b": "FINISHED", "c": "FINISHED", "d": "KILLED"
    }  # fmt: skip
    assert {i: r.info.run_id for i, r in runs.items()} == {i: k.run_id for i, k in known.items()}
    assert history(uri, runs["b"], "fid") == [(50, 2.0), (60, 3.0)]
    assert "tradeoff.reason" not in runs["c"].data.tags


def test_interrupted_sweep_leaves_nothing_running(uri, sweep):
    tracker = opened(uri, sweep)
    tracker.start([("a", {}), ("b", {})])
    tracker.fail("b", "x" * 20_000 + "the end")
    tracker.close_sweep(interrupted=True)
    status = {r.data.tags["tradeoff.trial"]: r.info.status for r in runs_of(uri, sweep)}
    assert status == {"a": "KILLED", "b": "FAILED"}
    assert [r.info.status for r in runs_of(uri, sweep, "sweep")] == ["KILLED"]
    failed = next(r for r in runs_of(uri, sweep) if r.info.status == "FAILED")
    assert failed.data.tags["tradeoff.reason"].endswith("the end")


def test_params_lost_in_a_crash_are_written_on_resume(uri, sweep):
    tracker = opened(uri, sweep)
    tracker.start([("a", {"seed": 1})])
    again = opened(uri, sweep)
    again.start([("a", {"seed": 1, "objective.lam": 2.0})])
    (run,) = runs_of(uri, sweep)
    assert run.data.params == {"seed": "1", "objective.lam": "2.0"}


def test_value_that_is_not_finite_hides_the_older_one(uri, sweep, caplog):
    tracker = opened(uri, sweep)
    tracker.start([("a", {})])
    tracker.log("a", 1, {"fid": 3.0, "precision": 0.5})
    with caplog.at_level(logging.WARNING, logger="explorer.tracking"):
        tracker.log("a", 2, {"fid": math.inf, "precision": 0.6})
        tracker.log("a", 3, {"fid": math.nan, "precision": 0.7})
    assert [r.getMessage() for r in caplog.records] == ["trial a, step 2: not finite, so left out: fid"]
    (run,) = runs_of(uri, sweep)
    assert math.isnan(run.data.metrics["fid"])
    assert run.data.metrics["precision"] == 0.7


def test_twin_runs_leave_the_most_complete_one(uri, sweep):
    from mlflow import MlflowClient
    from mlflow.entities import Metric

    tracker = opened(uri, sweep)
    tracker.start([("a", {})])
    tracker.log("a", 5, {"fid": 1.0})
    client = MlflowClient(tracking_uri=uri)
    (first,) = runs_of(uri, sweep)
    tags = {
        k: v for k, v in first.data.tags.items() if k.startswith("tradeoff.") or k == "mlflow.parentRunId"
    }
    further = client.create_run(first.info.experiment_id, tags=tags)
    client.log_batch(further.info.run_id, metrics=[Metric("fid", 0.5, 1, 9)])
    client.create_run(first.info.experiment_id, tags=tags)
    assert opened(uri, sweep).known()["a"].run_id == further.info.run_id
    assert [r.info.run_id for r in runs_of(uri, sweep)] == [further.info.run_id]


def test_misuse_is_told(uri, sweep):
    fresh = Tracker(uri, "tests")
    with pytest.raises(RuntimeError, match="open_sweep"):
        fresh.start([("a", {})])
    tracker = opened(uri, sweep)
    with pytest.raises(KeyError, match="start it first"):
        tracker.log("a", 1, {"fid": 1.0})
    tracker.start([("a", {})])
    with pytest.raises(ValueError, match="plain file name"):
        tracker.artifacts("a", {"../up": "x"})
    tracker.finish("a")
    with pytest.raises(ValueError, match="is finished"):
        tracker.start([("a", {})])


def test_quotes_in_a_name_do_no_harm(uri):
    name = """Fredéric's "best" sweep"""
    run_ids = set()
    for _ in range(2):
        opened(uri, name)
        run_ids |= {r.info.run_id for r in runs_of(uri, name, "sweep")}
    assert len(run_ids) == 1


def test_deleted_experiment_is_told(uri):
    from mlflow import MlflowClient

    Tracker(uri, "gone")
    client = MlflowClient(tracking_uri=uri)
    client.delete_experiment(client.get_experiment_by_name("gone").experiment_id)
    with pytest.raises(UserError, match="mlflow experiments restore"):
        Tracker(uri, "gone")
    client.restore_experiment(client.get_experiment_by_name("gone").experiment_id)
    opened(uri, "back", experiment="gone").start([("a", {})])
    assert len(runs_of(uri, "back")) == 1


@pytest.mark.parametrize("bad", ["mlruns", "file:///tmp/x", "sqlite://", "ftp://x"])
def test_other_stores_are_refused(bad):
    with pytest.raises(UserError, match=r"tracking\.uri must be"):
        Tracker(bad, "x")


def test_file_that_is_no_database_is_told(tmp_path):
    file = tmp_path / "mlflow.db"
    file.write_text("this is not a database, only some text that is long enough")
    with pytest.raises(UserError, match="SQLite file"):
        Tracker(f"sqlite:///{file}", "x")


def test_locked_database_is_waited_for(uri, sweep):
    tracker = opened(uri, sweep)
    tracker.start([("a", {})])
    other = sqlite3.connect(uri.removeprefix("sqlite:///"), isolation_level=None, check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    release = threading.Timer(1.0, other.execute, ["ROLLBACK"])
    release.start()
    tracker.log("a", 1, {"fid": 1.0})
    release.join()
    other.close()
    assert runs_of(uri, sweep)[0].data.metrics == {"fid": 1.0}


def test_broken_database_is_told_at_once(uri, sweep, tmp_path):
    copy = tmp_path / "mlflow.db"
    shutil.copy(uri.removeprefix("sqlite:///"), copy)
    tracker = opened(f"sqlite:///{copy}", sweep, patience=3600)
    tracker.start([("a", {})])
    with sqlite3.connect(copy) as other:
        other.execute("DROP TABLE metrics")
    other.close()
    with pytest.raises(TrackingUnavailable, match="no such table"):
        tracker.log("a", 1, {"fid": 1.0})


PROGRAM = """
import sys
from explorer.tracking import Tracker
tracker = Tracker(sys.argv[1], "shared")
tracker.open_sweep("same", {"fid": "min"}, "", "")
print(tracker._parent.run_id)
"""


def test_two_processes_may_come_first_at_once(tmp_path):
    uri = f"sqlite:///{tmp_path}/deep/mlflow.db"
    work = tmp_path / "work"
    work.mkdir()
    command = [sys.executable, "-c", PROGRAM, uri]
    both = [
        subprocess.Popen(command, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outcomes = [p.communicate(timeout=120) for p in both]
    assert [p.returncode for p in both] == [0, 0], outcomes
    assert [err for _, err in outcomes] == ["", ""], "MLflow's noise must not reach the user"
    assert len(runs_of(uri, "same", "sweep")) == 1
    assert list(work.iterdir()) == [], "nothing may land in the current folder"
    assert (tmp_path / "deep" / "artifacts").is_dir()


def test_server_that_is_away_is_told():
    with pytest.raises(
        TrackingUnavailable, match=r"Connection refused.* bring it back .* run the same sweep again"
    ):
        Tracker("http://127.0.0.1:9", "x", patience=0.5)
