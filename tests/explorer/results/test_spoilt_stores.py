"""Stores in which others wrote by SQL: what is odd costs no more than itself, and is named."""

import shutil
import socket
import sqlite3
from contextlib import closing

import pytest

from explorer.errors import UserError
from explorer.results.store import ResultStore
from explorer.store.addresses import sqlite_file
from explorer.store.schema import PLAIN, At
from explorer.tracking import Tracker
from tests.explorer.results.conftest import CATALOGUE, OBJECTIVES
from tests.stores import empty_store


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
