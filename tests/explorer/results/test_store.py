"""The reader against what the writer wrote, on real SQLite."""

import math
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from explorer.errors import UserError
from explorer.goals import Goal
from explorer.results.catalogue import Catalogue, built_in
from explorer.results.store import ResultStore
from explorer.store.addresses import sqlite_file
from explorer.store.schema import PLAIN, At, metric_key
from explorer.tracking import Tracker
from tests.stores import empty_store
from trainables.metrics.metric import Entry

CATALOGUE = Catalogue.of(
    [Entry("precision", "Precision", "", "max", 0, 1), Entry("beauty", "Beauty", "", "max")]
).to_json()
MARKS = {PLAIN: "a", At("obrs", 1.5): "b"}
OBJECTIVES = {"recall": "max", "fid": "min"}
PARAMS = {"objective.name": "pr", "objective.lam": 0.1, "seed": 3, "constraint.spectral": True, "note": None}


@pytest.fixture(scope="module")
def uri(tmp_path_factory):
    uri = empty_store(tmp_path_factory.mktemp("store"))
    tracker = Tracker(uri, "one")
    tracker.open_sweep("demo", OBJECTIVES, "a small one", "name: demo\n", CATALOGUE)
    tracker.start([("a", PARAMS), ("b", {"seed": 1}), ("c", {"seed": 2}), ("d", {"seed": 4})])
    tracker.log("a", 10, {"precision": 0.4, "fid": 2.0})
    tracker.log(
        "a", 20, {"precision": 0.5, "fid": math.nan, metric_key(At("obrs", 1.5), "acceptance"): 0.66}, MARKS
    )
    tracker.artifacts(
        "a", {"curve.json": '{"lambda": [1, 2]}', "torn.json": '{"lam', "samples.png": b"\x89PNG"}
    )
    tracker.finish("a")
    tracker.fail("b", "out of memory")
    tracker.close_sweep(interrupted=True)
    tracker.open_sweep("later", {"precision": "max"}, "", "", "{}")
    return uri


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
    assert (trial.layout, trial.marks, trial.stopped) == ("1", {}, "why")
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


@pytest.fixture(scope="module")
def spoilt(uri, tmp_path_factory):
    """A copy of the store in which others write by SQL: ``:p`` is the sweep's run, ``:t`` that of its trial ``a``."""
    file = shutil.copy(sqlite_file(uri), tmp_path_factory.mktemp("spoilt") / "mlflow.db")
    good = sqlite3.connect(":memory:")
    with closing(sqlite3.connect(file)) as link:
        link.backup(good)
    demo, other = (
        "SELECT run_uuid FROM tags WHERE value = 'demo'",
        "SELECT run_uuid FROM tags WHERE value = 'later'",
    )
    named = {
        "p": good.execute(f"{demo} INTERSECT SELECT run_uuid FROM tags WHERE value = 'sweep'").fetchone()[0],
        "t": good.execute(
            "SELECT run_uuid FROM tags WHERE key = 'tradeoff.trial' AND value = 'a'"
        ).fetchone()[0],
        "o": good.execute(other).fetchone()[0],
    }

    def spoil(*statements):
        with closing(sqlite3.connect(file)) as link, link:
            good.backup(link)
            link.execute("PRAGMA ignore_check_constraints = ON")
            for statement in statements:
                link.execute(statement, {k: v for k, v in named.items() if f":{k}" in statement})
        return ResultStore(f"sqlite:///{file}", "one"), named

    return spoil


TAG = "UPDATE tags SET value = x'ff41' WHERE key = 'tradeoff.{}' AND run_uuid = {}"
BAD_UTF8 = "CAST(x'ff' AS TEXT)"


@pytest.mark.parametrize(
    "statement",
    [
        TAG.format("trials", ":p"),
        TAG.format("description", ":p"),
        TAG.format("trial", ":t"),
        TAG.format("sweep", ":o"),
        "UPDATE runs SET start_time = 'abc' WHERE run_uuid = :p",
        "UPDATE runs SET end_time = 'abc' WHERE run_uuid = :p",
        f"INSERT INTO params VALUES ('odd', {BAD_UTF8}, :t)",
        f"INSERT INTO tags VALUES ('odd', {BAD_UTF8}, :t)",
        f"UPDATE latest_metrics SET key = {BAD_UTF8} WHERE key = 'fid' AND run_uuid = :t",
        f"UPDATE tags SET value = {BAD_UTF8} WHERE key = 'tradeoff.description' AND run_uuid = :o",
        f"UPDATE experiments SET name = {BAD_UTF8} WHERE name = 'one'",
        "UPDATE experiments SET name = x'ff' WHERE name = 'one'",
    ],
)
def test_text_and_numbers_of_others_cost_no_run(spoilt, statement):
    store, _ = spoilt(statement)
    store.experiment = None
    table = store.table("demo")
    assert [trial.params["seed"] for trial in table] == [3, 1, 2, 4]
    assert (table.complaint, table.trials[0].metrics) == (None, {"precision": 0.5})
    assert {info.name for info in store.sweeps()} >= {"demo"}


def test_a_store_is_opened_whatever_its_default_experiment_is_called(uri, tmp_path):
    file = shutil.copy(sqlite_file(uri), tmp_path / "mlflow.db")
    with closing(sqlite3.connect(file)) as link, link:
        link.execute(f"UPDATE experiments SET name = {BAD_UTF8} WHERE experiment_id = 0")
    assert len(ResultStore(f"sqlite:///{file}", "one").table("demo")) == 4


@pytest.mark.parametrize(
    "copied",
    [
        "UPDATE latest_metrics SET step = 'abc' WHERE run_uuid = 'twin'",
        "UPDATE latest_metrics SET value = 'abc' WHERE run_uuid = 'twin'",
        "INSERT INTO params VALUES ('odd', x'ff', 'twin')",
    ],
)
def test_a_twin_with_odd_values_costs_nothing(spoilt, copied):
    columns = "status, user_id, start_time, lifecycle_stage, artifact_uri, experiment_id"
    numbers = "key, value, timestamp, step, is_nan"
    store, named = spoilt(
        f"INSERT INTO runs (run_uuid, {columns}) SELECT 'twin', {columns} FROM runs WHERE run_uuid = :t",
        "UPDATE runs SET status = 'RUNNING' WHERE run_uuid = 'twin'",
        "INSERT INTO tags SELECT key, value, 'twin' FROM tags WHERE run_uuid = :t",
        f"INSERT INTO latest_metrics ({numbers}, run_uuid) SELECT {numbers}, 'twin' FROM latest_metrics "
        "WHERE run_uuid = :t",
        copied,
    )
    table = store.table("demo")
    assert [trial.id for trial in table] == ["a", "b", "c", "d"]
    assert (table.trials[0].run_id, table.complaint) == (named["t"], None)


@pytest.mark.parametrize("column", ["status", "start_time", "user_id"])
def test_a_run_that_mlflow_cannot_read_is_named_and_the_others_are_there(spoilt, column, monkeypatch):
    monkeypatch.setattr("explorer.store.connection.PAGE", 2)
    store, named = spoilt(f"UPDATE runs SET {column} = NULL WHERE run_uuid = :t")
    table = store.table("demo")
    assert [trial.id for trial in table] == ["b", "c", "d"]
    assert table.complaint == (
        f"one part of sweep 'demo' could not be read: run {named['t']} ({column} cannot be None)"
    )


def test_a_sweep_whose_own_run_cannot_be_read_is_told_and_the_others_are_there(spoilt, caplog):
    store, named = spoilt("UPDATE runs SET status = NULL WHERE run_uuid = :o")
    assert len(store.table("demo")) == 4
    assert [info.name for info in store.sweeps()] == ["demo"]
    assert f"a sweep of this store cannot be read: run {named['o']} (status cannot be None)" in caplog.text
    with pytest.raises(UserError, match=f"'later' must have a run that can be read, and run {named['o']} "):
        store.table("later")


def test_a_metric_that_is_no_number_is_named_and_the_run_has_the_others(spoilt):
    store, named = spoilt("UPDATE latest_metrics SET value = 'abc' WHERE key = 'precision' AND run_uuid = :t")
    table = store.table("demo")
    assert table.trials[0].readings == {PLAIN: {}, At("obrs", 1.5): {"acceptance": 0.66}}
    assert f"run {named['t']} (its precision is no number)" in table.complaint


@pytest.mark.parametrize("column", ["step", "value"])
def test_what_is_no_number_is_left_out_of_a_history(spoilt, column):
    store, named = spoilt(
        f"UPDATE metrics SET {column} = 'abc' WHERE key = 'precision' AND step = 10 AND run_uuid = :t"
    )
    assert store.history(named["t"], "precision") == [(20, 0.5)]


def test_a_sweep_is_found_again_by_its_experiment_whatever_that_is_called(spoilt):
    store, _ = spoilt("UPDATE experiments SET name = 'a' || char(27) || '[31mb' WHERE name = 'one'")
    store.experiment = None
    info = next(info for info in store.sweeps() if info.name == "demo")
    assert info.experiment == "a�[31mb"
    assert len(store.table("demo", info.experiment_id)) == 4
    with pytest.raises(UserError, match="no sweep 'demo'"):
        store.table("demo", "0")


def test_the_sweep_file_is_shown_without_control_characters(tmp_path):
    uri = empty_store(tmp_path)
    Tracker(uri, "one").open_sweep("odd", {"fid": "min"}, "", "name: \x1b[31m\x00odd\n", "{}")
    assert ResultStore(uri).document("odd") == "name: �[31m�odd\n"


@pytest.mark.parametrize("place", ["ftp://127.0.0.1:{port}/x", "models:/m/1", "nosuch://x"])
def test_artifacts_are_looked_for_in_known_places_only(spoilt, place, tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        asked = place.format(port=silent.getsockname()[1])
        store, _ = spoilt(f"UPDATE runs SET artifact_uri = '{asked}'")
        assert "its catalogue.json" in store.table("demo").complaint
    assert f"artifacts must lie in a folder, a cloud or on a server, got '{asked}'" in caplog.text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "most"),
    [("samples.json", 2**22), ("curve.json", 2**18), ("catalogue.json", 2**20), ("sweep.yaml", 2**22)],
)
def test_an_artifact_larger_than_ours_become_is_left_out_with_a_sentence(tmp_path, caplog, name, most):
    address = empty_store(tmp_path)
    tracker = Tracker(address, "one")
    tracker.open_sweep("demo", OBJECTIVES, "", "name: demo\n", CATALOGUE)
    tracker.start([("a", {})])
    tracker.artifacts("a", {name: '{"a": 1}' + " " * (most - 8)})
    read = ResultStore(address)
    (trial,) = read.table("demo")
    assert read.artifact_json(trial.run_id, name) == {"a": 1}
    tracker.artifacts("a", {name: '{"a": 1}' + " " * (most - 7)})
    assert read.artifact_json(trial.run_id, name) is None
    told = (
        f"artifact {name} of run {trial.run_id} cannot be read: it has {most + 1:,} bytes, more than {most:,}"
    )
    assert caplog.messages == [told]
