"""The reader against what the writer wrote, on real SQLite."""

import math
import subprocess
import sys
import time

import pytest

from explorer.errors import UserError
from explorer.goals import Goal
from explorer.results.catalogue import built_in
from explorer.results.store import ResultStore
from explorer.store.schema import PLAIN, At
from explorer.tracking import Tracker
from tests.explorer.results.conftest import CATALOGUE, MARKS, PARAMS
from tests.stores import empty_store


@pytest.fixture(scope="module")
def store(uri):
    return ResultStore(uri)


def test_sweeps_are_listed_newest_first(store):
    later, demo = store.sweeps()
    assert (later.name, later.status, later.trials) == ("later", "running", 0)
    assert (demo.name, demo.description, demo.status, demo.trials) == ("demo", "a small one", "killed", 4)
    assert demo.updated <= later.updated
    assert demo.experiment == "one"


def test_table_gives_back_what_was_written(store):
    table = store.table("demo")
    assert (table.sweep, table.description) == ("demo", "a small one")
    assert table.goals == (Goal("recall", "max"), Goal("fid", "min"))
    assert [t.id for t in table] == ["a", "b", "c", "d"]
    assert [t.status for t in table] == ["finished", "failed", "killed", "killed"]
    first = table.trials[0]
    assert dict(first.params) == PARAMS
    assert {k: type(v) for k, v in first.params.items()} == {k: type(v) for k, v in PARAMS.items()}
    assert first.metrics == {"precision": 0.5}, "fid was NaN last, so it is absent, not 2.0"
    assert first.readings == {PLAIN: {"precision": 0.5}, At("obrs", 1.5): {"acceptance": 0.66}}
    assert (first.marks, first.layout, first.stopped) == (MARKS, "2", None)
    assert table.trials[1].reason == "out of memory"
    assert first.reason is None


def test_a_sweep_is_looked_up_and_glimpsed_at(store):
    info = store.info("demo")
    assert (info.name, info.status, info.experiment) == ("demo", "killed", "one")
    goals, trials = store.glimpse(info, 2)
    assert goals == (Goal("recall", "max"), Goal("fid", "min"))
    assert [t.id for t in trials] == ["a", "b"]
    with pytest.raises(UserError, match="no sweep 'dmo'"):
        store.info("dmo")


def test_table_of_more_runs_than_a_page(store, monkeypatch):
    monkeypatch.setattr("explorer.store.connection.PAGE", 3)
    assert [t.id for t in store.table("demo")] == ["a", "b", "c", "d"]


def test_artifacts(uri, store):
    run = store.table("demo").trials[0].run_id
    for reader in (store, ResultStore(uri)):
        assert reader.artifact_json(run, "curve.json") == {"lambda": [1, 2]}
        assert reader.artifact_bytes(run, "samples.png") == b"\x89PNG"
        assert reader.artifact_bytes(run, "absent.png") is None
        assert reader.artifact_json(run, "absent.json") is None
        assert reader.artifact_json(run, "torn.json") is None
    assert store.artifact_bytes(store.table("demo").trials[1].run_id, "curve.json") is None
    with pytest.raises(ValueError, match="plain file name"):
        store.artifact_bytes(run, "../meta.yaml")


def test_history_has_every_evaluation(store):
    run = store.table("demo").trials[0].run_id
    assert store.history(run, "precision") == [(10, 0.4), (20, 0.5)]
    (_, first), (_, last) = store.history(run, "fid")
    assert first == 2.0
    assert math.isnan(last)
    assert store.history(run, "unheard") == []


def test_unknown_sweep_names_the_nearest(store):
    with pytest.raises(UserError, match=r"no sweep 'dmo' in .*; did you mean 'demo'\?"):
        store.table("dmo")
    with pytest.raises(UserError, match="it holds demo, later"):
        store.table("xyz")


def test_an_unknown_sweep_is_refused_before_mlflow_is_loaded(uri):
    code = (
        "import sys\n"
        "from explorer.cli import main\n"
        "try: main()\n"
        "except SystemExit as ended: print(ended.code, 'mlflow' in sys.modules)"
    )
    command = [sys.executable, "-c", code, "front", "dmo", "--tracking-uri", uri]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "2 False"
    assert "did you mean 'demo'?" in done.stderr


def test_a_default_store_that_is_not_made_yet_is_empty_and_stays_unmade(tmp_path, monkeypatch):
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    empty = ResultStore(f"sqlite:///{tmp_path / 'home' / 'mlflow.db'}")
    assert not empty.exists()
    assert empty.sweeps() == []
    with pytest.raises(UserError, match="run `tradeoff sweep` first"):
        empty.table("demo")
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_was_named_and_is_not_there_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    for file in (tmp_path / "mistyped.db", tmp_path / "no folder" / "mlflow.db"):
        with pytest.raises(
            UserError, match=f"tracking store '{file}' must be a SQLite file, and there is none; name another"
        ):
            ResultStore(f"sqlite:///{file}").sweeps()
    assert list(tmp_path.iterdir()) == []


def test_same_name_in_two_experiments_must_be_told_apart(uri):
    twin = Tracker(uri, "two")
    twin.open_sweep("later", {"fid": "min"}, "the other", "", "{}")
    with pytest.raises(UserError, match=r"several experiments \(one, two\)"):
        ResultStore(uri).table("later")
    assert ResultStore(uri, "two").table("later").description == "the other"
    assert ResultStore(uri, "three").sweeps() == []


def test_the_sweep_file_is_kept(store):
    assert store.document("demo") == "name: demo\n"


def test_the_catalogue_is_the_sweeps_own(store):
    catalogue = store.table("demo").catalogue
    assert catalogue.title("beauty") == "Beauty", "a metric that this version never heard of"
    assert catalogue.bounds("precision") == (0, 1)
    assert list(catalogue.entries) == ["precision", "beauty"]


def made(folder, catalogue, *, layout=True):
    """A sweep with one trial whose metrics include one that nobody knows; keys as layout 1 wrote them."""
    from mlflow import MlflowClient

    uri = empty_store(folder)
    tracker = Tracker(uri, "one")
    tracker.open_sweep("made", {"precision": "max"}, "", "", catalogue)
    tracker.start([("a", {"objective.lam": 1.0})])
    tracker.log("a", 8, {"precision": 0.5, "K1/precision": 0.5, "K2/precision": 0.75, "K1/acceptance": 1.0,
                         "K2/acceptance": 0.5, "sparkle": 3.0, "critic_loss": 0.1})  # fmt: skip
    tracker.finish("a", "why")
    if not layout:
        client = MlflowClient(tracking_uri=uri)
        for run in (tracker._children["a"].run_id, tracker._parent.run_id):
            client.delete_tag(run, "tradeoff.layout")
    return ResultStore(uri)


def test_a_store_with_a_damaged_catalogue_is_still_read(tmp_path):
    table = made(tmp_path, "{ torn").table("made")
    assert table.catalogue is built_in()
    assert table.complaint == (
        "one part of sweep 'made' could not be read: its catalogue.json, for which this version's is taken"
    )
    assert table.trials[0].metrics["sparkle"] == 3.0
    assert table.metric_names() == ["precision", "sparkle", "acceptance", "critic_loss"], (
        "unknown before diagnostics"
    )
    assert table.shown_metrics() == ["precision", "sparkle"]
    assert table.title("sparkle") == "sparkle"


def test_runs_of_layout_1_are_read_as_readings(tmp_path):
    store = made(tmp_path, CATALOGUE, layout=False)
    table = store.table("made")
    (trial,) = table
    assert (trial.layout, trial.marks, trial.stopped) == ("1", {}, None)
    assert trial.readings == {
        PLAIN: {"precision": 0.5, "acceptance": 1.0, "sparkle": 3.0, "critic_loss": 0.1},
        At("obrs", 2.0): {"precision": 0.75, "acceptance": 0.5},
    }
    assert (table.methods(), table.budgets()) == (["obrs"], [1.0, 2.0])
    assert table.catalogue is built_in(), "such a sweep has no catalogue"


def test_a_renamed_run_of_layout_1_shows_what_it_was_read_with_last(tmp_path):
    uri = empty_store(tmp_path)
    tracker = Tracker(uri, "one")
    tracker.open_sweep("renamed", {"precision": "max"}, "", "", "{}")
    tracker.start([("old", {"seed": 1, "refinement.budgets": "[2.0]", "evaluation.k": 3})])
    tracker.log("old", 8, {"precision": 0.5, "K2/precision": 0.6})
    tracker.rename({"new": "old"}, {"new": {PLAIN: "a", At("obrs", 2.0): "b"}})
    tracker.log("new", 8, {"precision": 0.5, "obrs/2/precision": 0.7}, {PLAIN: "a", At("obrs", 2.0): "c"})
    (trial,) = ResultStore(uri).table("renamed")
    assert trial.readings[At("obrs", 2.0)] == {"precision": 0.7}, (
        "the newer reading counts, whatever the order"
    )
    assert dict(trial.params) == {"seed": 1}, "how it was first read is no part of it any more"


def test_of_a_step_that_was_read_again_the_newest_value_counts(tmp_path):
    uri = empty_store(tmp_path)
    tracker = Tracker(uri, "one")
    tracker.open_sweep("twice", {"precision": "max"}, "", "", "{}")
    tracker.start([("a", {})])
    tracker.log("a", 4, {"precision": 0.1})
    tracker.log("a", 8, {"precision": 0.5}, {PLAIN: "a"})
    time.sleep(0.01)
    tracker.log("a", 8, {"precision": 0.25}, {PLAIN: "b"})
    (trial,) = ResultStore(uri).table("twice")
    assert ResultStore(uri).history(trial.run_id, "precision") == [(4, 0.1), (8, 0.25)]
    assert trial.metrics["precision"] == 0.25, "a smaller value that came later counts too"
