"""An MLflow store as a source: our sweeps under labels that tell them apart, then what others wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.results.store import ResultStore
from explorer.sources import mlflow_store
from explorer.sources.mlflow_store import StoreSource
from explorer.store.connection import Connection
from explorer.store.schema import CURVE_FILE
from tests.app.made_sweep import configs, made, write_sweep
from tests.stores import empty_store


@pytest.fixture
def uri(tmp_path: Path) -> str:
    uri = empty_store(tmp_path)
    trial = made(configs((1.0,), 1)[0], points=20)
    for experiment in ("one", "two"):
        write_sweep(uri, "twin", [trial], experiment=experiment)
    write_sweep(uri, "single", [trial], experiment="one")
    client = Connection(uri).client
    theirs = client.create_experiment("single ")
    client.log_metric(client.create_run(theirs).info.run_id, "loss", 1.0)
    return uri


def test_labels_tell_sweeps_apart(uri: str) -> None:
    source = StoreSource(uri)
    sweeps = source.sweeps()
    assert set(sweeps) == {"twin @ one", "twin @ two", "single", "single "}
    assert [info.kind for info in sweeps.values()] == ["sweep", "sweep", "sweep", "experiment"]
    assert source.table("single") == ResultStore(uri).table("single")
    assert source.table("twin @ two").sweep == "twin @ two"
    assert source.table("single ").trials[0].metrics == {"loss": 1.0}


def test_artifacts_and_histories_are_the_stores(uri: str) -> None:
    source = StoreSource(uri)
    run = source.table("single").trials[0].run_id
    assert source.artifact_bytes(run, CURVE_FILE)
    assert len(source.history(run, "recall")) == 3


def test_a_server_is_asked_for_experiments_of_others_now_and_then(
    uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(mlflow_store, "foreign_experiments", lambda *_: asked.append(1) or [])
    source = StoreSource(uri)
    source.sweeps()
    source.sweeps()
    assert len(asked) == 2, "a file tells at once"
    monkeypatch.setattr(mlflow_store, "sqlite_file", lambda _: None)
    source.sweeps()
    assert len(asked) == 2
