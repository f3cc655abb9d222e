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
from explorer.store.schema import LAYOUT_NOW, PLAIN, At, decode, encode_readings, metric_key
from explorer.tracking import Summary, Tracker, TrialRun
from tests.stores import empty_store

OBJECTIVES = {"precision": "max", "recall": "max", "fid": "min"}
CATALOGUE = '{"metrics": []}'
PARAMS = {"objective.name": "pr", "objective.lam": 0.1, "seed": 3, "spectral": True, "note": None}


@pytest.fixture(scope="module")
def uri(tmp_path_factory):
    return empty_store(tmp_path_factory.mktemp("store"))


@pytest.fixture
def sweep(request):
    return request.node.name


def opened(uri, sweep, experiment="tests", **kwargs):
    tracker = Tracker(uri, experiment, **kwargs)
    tracker.open_sweep(sweep, OBJECTIVES, "what it is for", "name: x\n", CATALOGUE)
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


def test_runs_are_called_by_what_varies_by_now_but_for_those_that_somebody_named(uri, sweep):
    tracker = opened(uri, sweep)
    tracker.start([TrialRun("a", PARAMS, "lam 1"), TrialRun("b", PARAMS, "lam 2"), ("old", PARAMS)])
    runs = {run.data.tags["tradeoff.trial"]: run for run in runs_of(uri, sweep)}
    tracker._store.client.set_tag(runs["b"].info.run_id, "mlflow.runName", "the good one")
    for name in "ab":
        tracker.finish(name)
    tracker.close_sweep(interrupted=False)
    again = opened(uri, sweep)
    again.start([TrialRun("b", PARAMS, "lam 2, seed 0")])
    again.call({"a": "lam 1, seed 0", "b": "lam 2, seed 0", "old": "lam 3, seed 0", "none": "never begun"})
    names = {run.data.tags["tradeoff.trial"]: run.info.run_name for run in runs_of(uri, sweep)}
    assert names == {"a": "lam 1, seed 0", "b": "the good one", "old": "lam 3, seed 0"}


def test_trials_that_somebody_deleted_cost_the_end_nothing_and_the_sweep_itself_a_sentence(uri, sweep):
    tracker = opened(uri, sweep)
    tracker.start([("a", PARAMS), ("b", PARAMS)])
    runs = {run.data.tags["tradeoff.trial"]: run.info.run_id for run in runs_of(uri, sweep)}
    tracker._store.client.delete_run(runs["a"])
    tracker.conclude({"a": "lam 1", "b": "lam 2"}, lambda: None, interrupted=False)
    (left,), (parent,) = runs_of(uri, sweep), runs_of(uri, sweep, "sweep")
    assert (left.info.run_name, left.info.status, parent.info.status) == ("lam 2", "KILLED", "FINISHED")
    tracker._store.client.delete_run(parent.info.run_id)
    summary = Summary(1, {"hypervolume": 1.0}, {}, {})
    with pytest.raises(
        UserError, match="the end of the sweep must be stored, and the tracking store refuses it"
    ):
        tracker.conclude({}, lambda: summary, interrupted=False)


def test_a_trial_from_start_to_finish(uri, sweep):
    tracker = opened(uri, sweep)
    tracker.start([("a1", PARAMS)])
    tracker.log("a1", 10, {"precision": 0.5, metric_key(At("obrs", 1.5), "acceptance"): 0.66})
    tracker.log("a1", 20, {"precision": 0.75, metric_key(At("obrs", 1.5), "acceptance"): 0.67})
    tracker.artifacts("a1", {"curve.json": '{"λ": 1}', "samples.png": b"\x89PNG"})
    tracker.finish("a1")
    tracker.close_sweep(interrupted=False)

    (run,) = runs_of(uri, sweep)
    (parent,) = runs_of(uri, sweep, "sweep")
    assert run.info.status == parent.info.status == "FINISHED"
    assert run.data.tags["mlflow.parentRunId"] == parent.info.run_id
    assert run.data.tags["tradeoff.trial"] == "a1"
    assert {k: decode(v) for k, v in run.data.params.items()} == PARAMS
    assert run.data.metrics == {"precision": 0.75, "obrs/1.5/acceptance": 0.67}
    assert history(uri, run, "precision") == [(10, 0.5), (20, 0.75)]
    assert json.loads(parent.data.tags["tradeoff.objectives"]) == OBJECTIVES
    assert parent.data.tags["tradeoff.trials"] == "1"
    folder = Path(run.info.artifact_uri.removeprefix("file://"))
    assert (folder / "samples.png").read_bytes() == b"\x89PNG"
    assert json.loads((folder / "curve.json").read_text()) == {"λ": 1}
    kept = Path(parent.info.artifact_uri.removeprefix("file://"))
    assert (kept / "sweep.yaml").read_text() == "name: x\n"
    assert (kept / "catalogue.json").read_text() == CATALOGUE
    assert run.data.tags["tradeoff.layout"] == parent.data.tags["tradeoff.layout"] == LAYOUT_NOW == "2"


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("params.`objective.name` = 'pr'", {"a", "b"}),
        ("params.`objective.lam` = '0.5'", {"a"}),
        ("params.`model.norm` = 'null'", {"c"}),
    ],
)
def test_the_search_of_mlflow_finds_trials_by_their_parameters(uri, asked, found):
    from mlflow import MlflowClient

    tracker = opened(uri, "searched")
    tracker.start([
        ("a", {"objective.name": "pr", "objective.lam": 0.5}),
        ("b", {"objective.name": "pr", "objective.lam": 5.0}),
        ("c", {"objective.name": "kl", "model.norm": None}),
    ])  # fmt: skip
    client = MlflowClient(tracking_uri=uri)
    ids = [e.experiment_id for e in client.search_experiments()]
    runs = client.search_runs(ids, f"{asked} and tags.`tradeoff.sweep` = 'searched'")
    assert {run.data.tags["tradeoff.trial"] for run in runs} == found


def test_opening_again_finds_the_same_runs(uri, sweep):
    first = opened(uri, sweep)
    first.start([("a", PARAMS), ("b", PARAMS), ("c", PARAMS), ("d", PARAMS)])
    first.log("a", 100, {"fid": 1.0})
    first.finish("a")
    first.log("b", 50, {"fid": 2.0, "precision": 0.5})
    first.fail("c", "the loss was NaN")
    # The driver dies here: nothing is closed.

    again = opened(uri, sweep)
    known = again._children
    assert {i: (k.status, k.last_step) for i, k in known.items()} == {
        "a": ("finished", 100), "b": ("running", 50), "c": ("failed", None), "d": ("running", None)
    }  # fmt: skip
    assert {i: k.run_id for i, k in known.items()} == {i: k.run_id for i, k in first._children.items()}
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
    assert [r.getMessage() for r in caplog.records] == ["trial a, step 2: not finite: fid"]
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
    assert opened(uri, sweep)._children["a"].run_id == further.info.run_id
    assert [r.info.run_id for r in runs_of(uri, sweep)] == [further.info.run_id]


def test_misuse_is_told(uri, sweep):
    fresh = Tracker(uri, "tests")
    with pytest.raises(RuntimeError, match="open_sweep"):
        fresh.start([("a", {})])
    tracker = opened(uri, sweep)
    with pytest.raises(KeyError, match="start it first"):
        tracker.log("a", 1, {"fid": 1.0})
    tracker.start([("a", {})])
    for name in ("../up", "/up", "a//b", "a/./b", ""):
        with pytest.raises(ValueError, match="relative path"):
            tracker.artifacts("a", {name: "x"})


OBRS2, OBRS4 = At("obrs", 2.0), At("obrs", 4.0)
FIRST = {"precision": 0.5, "fid": 2.0, "critic_loss": 0.1, "obrs/2/precision": 0.6, "obrs/4/precision": 0.7}
MARKS = {PLAIN: "plain", OBRS2: "two", OBRS4: "four"}


def read_once(uri, sweep):
    """A tracker after one trial was trained and read at K = 2 and 4."""
    tracker = opened(uri, sweep)
    tracker.start([("a", {})])
    tracker.log("a", 100, FIRST, MARKS)
    tracker.finish("a")
    tracker.close_sweep(interrupted=False)
    return opened(uri, sweep)


def batches(tracker, monkeypatch):
    """Every request with metrics or tags from now on: (metrics by key, keys of tags)."""
    seen = []
    send = tracker._store.client.log_batch

    def log_batch(run_id, metrics=(), params=(), tags=(), **more):
        seen.append(({m.key: m.value for m in metrics}, [tag.key for tag in tags]))
        return send(run_id, metrics=metrics, params=params, tags=tags, **more)

    monkeypatch.setattr(tracker._store.client, "log_batch", log_batch)
    return seen


def test_marks_are_kept_with_the_run(uri, sweep):
    read_once(uri, sweep)
    (run,) = runs_of(uri, sweep)
    assert run.data.tags["tradeoff.readings"] == encode_readings(MARKS)


def test_a_finished_trial_may_be_started_and_read_again(uri, sweep):
    tracker = read_once(uri, sweep)
    tracker.start([("a", {})])
    assert runs_of(uri, sweep)[0].info.status == "RUNNING"
    tracker.log(
        "a", 100, {"precision": 0.5, "halving/2/precision": 0.9}, {PLAIN: "plain", At("halving", 2.0): "half"}
    )
    tracker.finish("a")
    (run,) = runs_of(uri, sweep)
    assert run.info.status == "FINISHED"
    assert run.data.metrics == {**FIRST, "halving/2/precision": 0.9}, "readings of the same evaluation stay"
    assert tracker._children["a"].marks == {**MARKS, At("halving", 2.0): "half"}
    assert opened(uri, sweep)._children["a"].marks == {**MARKS, At("halving", 2.0): "half"}


def test_reading_again_stores_only_what_changed(uri, sweep, monkeypatch):
    tracker = read_once(uri, sweep)
    tracker.start([("a", {})])
    seen = batches(tracker, monkeypatch)
    tracker.log("a", 100, FIRST, MARKS)
    assert seen == [], "nothing is new"
    tracker.log("a", 100, {**FIRST, "obrs/8/precision": 0.8}, {**MARKS, At("obrs", 8.0): "eight"})
    assert seen == [({"obrs/8/precision": 0.8}, ["tradeoff.readings"])]
    (run,) = runs_of(uri, sweep)
    assert history(uri, run, "precision") == [(100, 0.5)]
    assert history(uri, run, "obrs/8/precision") == [(100, 0.8)]


def test_another_evaluation_blanks_what_is_asked_for_no_more(uri, sweep):
    tracker = read_once(uri, sweep)
    tracker.start([("a", {})])
    tracker.log(
        "a", 100, {"precision": 0.55, "fid": 1.9, "obrs/2/precision": 0.65}, {PLAIN: "other", OBRS2: "too"}
    )
    tracker.finish("a")
    (run,) = runs_of(uri, sweep)
    left = {key: value for key, value in run.data.metrics.items() if not math.isnan(value)}
    assert left == {"precision": 0.55, "fid": 1.9, "critic_loss": 0.1, "obrs/2/precision": 0.65}
    assert math.isnan(run.data.metrics["obrs/4/precision"])
    assert opened(uri, sweep)._children["a"].marks == {PLAIN: "other", OBRS2: "too"}


def test_a_metric_that_the_new_evaluation_lacks_is_blanked_too(uri, sweep):
    tracker = read_once(uri, sweep)
    tracker.start([("a", {})])
    tracker.log(
        "a",
        100,
        {"precision": 0.55, "obrs/2/precision": 0.6, "obrs/4/precision": 0.7},
        {**MARKS, PLAIN: "other"},
    )
    (run,) = runs_of(uri, sweep)
    assert math.isnan(run.data.metrics["fid"]), "it was measured with other samples"
    assert run.data.metrics["critic_loss"] == 0.1


def test_a_repeated_step_without_marks_is_skipped(uri, sweep):
    tracker = read_once(uri, sweep)
    tracker.start([("a", {})])
    tracker.log("a", 100, {"precision": 0.9})
    tracker.log("a", 50, {"precision": 0.8})
    assert runs_of(uri, sweep)[0].data.metrics["precision"] == 0.5


def test_an_evaluation_is_one_request_up_to_a_thousand_metrics(uri, sweep, monkeypatch):
    tracker = opened(uri, sweep)
    tracker.start([("a", {})])
    seen = batches(tracker, monkeypatch)
    tracker.log("a", 1, {f"m{i}": float(i) for i in range(1000)}, MARKS)
    assert [(len(metrics), tags) for metrics, tags in seen] == [(1000, ["tradeoff.readings"])]
    seen.clear()
    tracker.log("a", 2, {f"m{i}": float(i) for i in range(2100)}, {**MARKS, PLAIN: "other"})
    assert [(len(metrics), tags) for metrics, tags in seen] == [
        (1000, []),
        (1000, []),
        (100, ["tradeoff.readings"]),
    ]
    assert len(runs_of(uri, sweep)[0].data.metrics) == 2100


def test_marks_alone_are_a_request_too(uri, sweep):
    tracker = read_once(uri, sweep)
    tracker.start([("a", {})])
    tracker.log("a", 100, FIRST, {**MARKS, At("obrs", 1.5): "new"})
    assert opened(uri, sweep)._children["a"].marks == {**MARKS, At("obrs", 1.5): "new"}


def test_why_a_trial_was_stopped_goes_when_it_starts_again(uri, sweep):
    tracker = opened(uri, sweep)
    tracker.start([("a", {}), ("b", {})])
    tracker.finish("a", '{"iteration": 4}')
    tracker.finish("b")
    tags = {r.data.tags["tradeoff.trial"]: r.data.tags.get("tradeoff.stopped") for r in runs_of(uri, sweep)}
    assert tags == {"a": '{"iteration": 4}', "b": None}
    again = opened(uri, sweep)
    again.start([("a", {})])
    assert all("tradeoff.stopped" not in r.data.tags for r in runs_of(uri, sweep))
    again.start([("a", {})])  # there is nothing left to take away
    again.finish("a", '{"iteration": 6}')
    again.start([("a", {})])
    again.finish("a")
    assert all("tradeoff.stopped" not in r.data.tags for r in runs_of(uri, sweep))


def test_runs_of_layout_1_take_the_names_of_today(uri, sweep):
    from mlflow import MlflowClient

    tracker = opened(uri, sweep)
    tracker.start([("old", {"seed": 1}), ("other", {})])
    tracker.log("old", 8, {"fid": 1.0, "K2/fid": 0.5})
    tracker.finish("old")
    before = tracker._children["old"].run_id
    MlflowClient(tracking_uri=uri).delete_tag(before, "tradeoff.layout")
    tracker = opened(uri, sweep)
    marks = {PLAIN: "plain", OBRS2: "two"}
    tracker.rename({"new": "old", "newer": "gone already"}, {"new": marks})
    assert set(tracker._children) == {"new", "other"}
    again = opened(uri, sweep)
    assert again._children["new"].run_id == before
    assert again._children["new"].marks == marks
    run = next(r for r in runs_of(uri, sweep) if r.info.run_id == before)
    assert (run.data.tags["tradeoff.trial"], run.data.tags["tradeoff.layout"]) == ("new", LAYOUT_NOW)
    again.start([("new", {"seed": 1})])
    again.log("new", 8, {"fid": 1.0, "obrs/2/fid": 0.5, "obrs/4/fid": 0.25}, {**marks, OBRS4: "four"})
    assert len(runs_of(uri, sweep)) == 2, "no run is made beside it"


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
    with pytest.raises(UserError, match="a tracking store must be"):
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
print("ready", flush=True)
sys.stdin.readline()
tracker = Tracker(sys.argv[1], "shared")
tracker.open_sweep("same", {"fid": "min"}, "", "", "{}")
print(tracker._parent.run_id)
"""


def test_two_processes_may_come_first_at_once(tmp_path, monkeypatch):
    """Another one and this one."""
    uri = f"sqlite:///{tmp_path}/deep/mlflow.db"
    (tmp_path / "deep").mkdir()
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([sys.executable, "-c", PROGRAM, uri], text=True, **pipes) as other:
        assert other.stdout.readline() == "ready\n"
        other.stdin.write("go\n")
        other.stdin.flush()
        tracker = Tracker(uri, "shared")
        tracker.open_sweep("same", {"fid": "min"}, "", "", "{}")
        out, err = other.communicate(timeout=120)
    assert other.returncode == 0, err
    assert err == "", "MLflow's noise must not reach the user"
    assert out.strip() == tracker._parent.run_id
    assert len(runs_of(uri, "same", "sweep")) == 1
    assert list(work.iterdir()) == [], "nothing may land in the current folder"
    assert (tmp_path / "deep" / "artifacts").is_dir()


def test_server_that_is_away_is_told():
    with pytest.raises(
        TrackingUnavailable, match=r"Connection refused.* bring it back .* run the same command again"
    ):
        Tracker("http://127.0.0.1:9", "x", patience=0.5)
