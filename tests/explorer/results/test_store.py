"""The reader against what the writer wrote, on real SQLite."""

import math

import pytest

from explorer.errors import UserError
from explorer.goals import Goal
from explorer.results.store import ResultStore
from explorer.store.schema import metric_key
from explorer.tracking import Tracker

OBJECTIVES = {"recall": "max", "fid": "min"}
PARAMS = {"objective.name": "pr", "objective.lam": 0.1, "seed": 3, "constraint.spectral": True, "note": None}


@pytest.fixture(scope="module")
def uri(tmp_path_factory):
    uri = f"sqlite:///{tmp_path_factory.mktemp('store')}/mlflow.db"
    tracker = Tracker(uri, "one")
    tracker.open_sweep("demo", OBJECTIVES, "a small one", "name: demo\n")
    tracker.start([("a", PARAMS), ("b", {"seed": 1}), ("c", {"seed": 2}), ("d", {"seed": 4})])
    tracker.log("a", 10, {"precision": 0.4, "fid": 2.0})
    tracker.log(
        "a", 20, {"precision": 0.5, "fid": math.nan, metric_key(1.5, "acceptance"): 0.66, "K1/fid": 1.0}
    )
    tracker.artifacts(
        "a", {"curve.json": '{"lambda": [1, 2]}', "torn.json": '{"lam', "samples.png": b"\x89PNG"}
    )
    tracker.finish("a")
    tracker.fail("b", "out of memory")
    tracker.close_sweep(interrupted=True)
    tracker.open_sweep("later", {"precision": "max"}, "", "")
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
    assert first.budgets == {1.5: {"acceptance": 0.66}, 1.0: {"fid": 1.0}}
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
    with pytest.raises(UserError, match=r"no sweep 'dmo' in .*; did you mean demo\?"):
        store.table("dmo")
    with pytest.raises(UserError, match="it holds demo, later"):
        store.table("xyz")


def test_where_there_is_no_store_there_is_none_made(tmp_path):
    file = tmp_path / "none.db"
    empty = ResultStore(f"sqlite:///{file}")
    assert empty.sweeps() == []
    with pytest.raises(UserError, match="run `tradeoff sweep` first"):
        empty.table("demo")
    assert list(tmp_path.iterdir()) == []


def test_same_name_in_two_experiments_must_be_told_apart(uri):
    twin = Tracker(uri, "two")
    twin.open_sweep("later", {"fid": "min"}, "the other", "")
    with pytest.raises(UserError, match=r"several experiments \(one, two\)"):
        ResultStore(uri).table("later")
    assert ResultStore(uri, "two").table("later").description == "the other"
    assert ResultStore(uri, "three").sweeps() == []
