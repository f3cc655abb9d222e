"""The store as the page reads it: sweeps under labels that tell them apart, everything remembered for a while."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app import reading
from explorer.errors import UserError
from explorer.results.store import ResultStore
from explorer.store.schema import CURVE_FILE, PICTURE_FILE, SAMPLES_FILE
from explorer.tracking import Tracker
from tests.app.made_sweep import EMPTY, EXPERIMENT, MADE, TWIN, read_table
from tests.stores import empty_store


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    reading.forget()
    yield
    reading.forget()


def test_sweeps_that_share_a_name_are_told_apart_by_their_experiment(store_uri: str) -> None:
    found = reading.sweeps(store_uri)
    first, second = f"{TWIN} @ {EXPERIMENT}", f"{TWIN} @ another"
    assert {first, second, MADE, EMPTY} <= set(found)
    assert TWIN not in found
    assert next(iter(found)) == MADE, "the newest comes first"
    tables = [reading.columns(store_uri, label, found[label]).table for label in (first, second)]
    assert [t.sweep for t in tables] == [first, second]
    assert [t.description for t in tables] == ["The first", "The second"]
    assert tables[0].trials[0].id != tables[1].trials[0].id


def test_a_sweep_is_found_whatever_its_experiment_is_called(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    Tracker(uri, "a\x1b[31mb").open_sweep("demo", {"fid": "min"}, "mine", "", "{}")
    info = reading.sweeps(uri)["demo"]
    assert info.experiment == "a�[31mb"
    assert reading.columns(uri, "demo", info).table.description == "mine"


def test_a_table_is_what_its_reader_has(store_uri: str) -> None:
    info = reading.sweeps(store_uri)[MADE]
    read = reading.columns(store_uri, MADE, info)
    assert read.table == read_table(store_uri)
    assert read.seconds > 0
    assert reading.columns(store_uri, MADE, info).columns is read.columns


def test_columns_stay_the_same_while_nothing_happens(store_uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    info = reading.sweeps(store_uri)[MADE]
    read = reading.columns(store_uri, MADE, info)
    numbers = read.columns.metric("fid")
    monkeypatch.setattr(reading, "FRESH_S", 0.0)
    again = reading.columns(store_uri, MADE, info)
    assert again.moment > read.moment, "it was looked at again"
    assert again.columns is read.columns
    assert again.columns.metric("fid") is numbers
    found = reading.anew(store_uri, MADE)
    assert found is not None
    assert found[1].columns is read.columns
    assert reading.anew(store_uri, "no such sweep") is None


def test_other_places_are_read_alike(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("lr,fid\n0.1,2\n0.2,1\n")
    info = reading.sweeps(str(file))["mine"]
    read = reading.columns(str(file), "mine", info)
    assert read.columns.metric("fid").tolist() == [2.0, 1.0]
    assert reading.artifact(str(file), "row 1", CURVE_FILE) is None
    assert reading.history(str(file), "row 1", "fid") == []
    with pytest.raises(UserError, match="there is no file"):
        reading.sweeps(str(tmp_path / "none.csv"))


def test_artifacts_and_histories_of_a_trial(store_uri: str) -> None:
    trial = read_table(store_uri).trials[0]
    samples = reading.artifact(store_uri, trial.run_id, SAMPLES_FILE)
    assert samples is not None
    assert len(samples["readings"]) == 4
    assert (reading.artifact(store_uri, trial.run_id, CURVE_FILE) or {}).keys() >= {"lambda", "recall"}
    assert reading.artifact(store_uri, trial.run_id, "none.json") is None
    assert (reading.picture(store_uri, trial.run_id, PICTURE_FILE) or b"").startswith(b"\x89PNG")
    assert reading.picture(store_uri, trial.run_id, "none.png") is None
    assert (reading.bytes_of(store_uri, trial.run_id, PICTURE_FILE) or b"").startswith(b"\x89PNG")
    assert reading.bytes_of(store_uri, trial.run_id, "none.png") is None
    steps = reading.history(store_uri, trial.run_id, "recall")
    assert [step for step, _ in steps] == [1000, 2500, 4000]
    assert steps[-1][1] == trial.metrics["recall"]


def test_the_store_is_asked_once_until_told_to_forget(
    store_uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    true = ResultStore.sweeps
    monkeypatch.setattr(ResultStore, "sweeps", lambda store: asked.append(store.uri) or true(store))
    reading.sweeps(store_uri)
    reading.sweeps(store_uri)
    assert asked == [store_uri]
    reading.forget()
    reading.sweeps(store_uri)
    assert asked == [store_uri] * 2


def test_the_store_is_the_one_the_environment_names(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "sqlite:///there.db")
    assert reading.tracking_uri() == "sqlite:///there.db"
    monkeypatch.delenv("MLFLOW_TRACKING_URI")
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    assert reading.tracking_uri() == f"sqlite:///{tmp_path / 'mlflow.db'}"
