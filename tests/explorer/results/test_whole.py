"""Runs with all that a store has of them: straight from a file, and through MLflow, alike."""

from __future__ import annotations

import math
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.results.place import Place
from explorer.results.store import ResultStore
from explorer.results.whole import WholeSweep
from explorer.store.addresses import sqlite_file
from explorer.store.connection import Connection
from explorer.store.schema import LEASE, PARENT, SWEEP
from explorer.store.whole import Point


def test_every_point_is_there_with_its_time(uri: str) -> None:
    sweep = WholeSweep(ResultStore(uri), "demo")
    assert (sweep.name, sweep.experiment, [trial for trial, _ in sweep.trials]) == (
        "demo",
        "one",
        list("abcd"),
    )
    run = sweep.run(dict(sweep.trials)["a"])
    client = Connection(uri).client
    told = client.get_metric_history(dict(sweep.trials)["a"], "precision")
    assert run.histories["precision"] == tuple(Point(one.step, one.timestamp, one.value) for one in told)
    assert [point.step for point in run.histories["fid"]] == [10, 20]
    assert math.isnan(run.histories["fid"][1].value)
    assert (run.name, run.status) == ("a", "finished")
    assert not {PARENT, SWEEP, LEASE} & set(run.tags)


def test_what_only_mlflow_may_read_is_the_same(uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = WholeSweep(ResultStore(uri), "demo")
    swift = [repr(sweep.run(run)) for _, run in sweep.trials]
    monkeypatch.setattr(Place, "swiftly", lambda self, ask: None)
    assert [repr(sweep.run(run)) for _, run in sweep.trials] == swift


def test_artifacts_are_listed_and_fetched(uri: str, tmp_path: Path) -> None:
    sweep = WholeSweep(ResultStore(uri), "demo")
    run = dict(sweep.trials)["a"]
    assert sweep.files(run) == ["curve.json", "samples.png", "torn.json"]
    assert sweep.files(sweep.parent) == ["catalogue.json", "sweep.yaml"]
    assert sweep.files(dict(sweep.trials)["b"]) == []
    assert sweep.fetch(run, "samples.png", tmp_path).read_bytes() == b"\x89PNG"
    with pytest.raises(UserError, match=r"artifact none of run .* cannot be read"):
        sweep.fetch(run, "none", tmp_path)


def test_artifacts_that_a_server_keeps_are_asked_of_it(uri: str, tmp_path: Path) -> None:
    copy = shutil.copy(sqlite_file(uri) or "", tmp_path / "mlflow.db")
    with closing(sqlite3.connect(copy)) as link, link:
        link.execute("UPDATE runs SET artifact_uri = 'mlflow-artifacts:/1/' || run_uuid || '/artifacts'")
    sweep = WholeSweep(ResultStore(f"sqlite:///{copy}"), "demo")
    with pytest.raises(UserError, match=r"cannot be listed .*; mend their place, or name the server"):
        sweep.files(sweep.parent)
