"""Experiments of others: runs as trials, of nested runs the children, and objectives by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.goals import Goal
from explorer.results.store import ResultStore
from explorer.sources.experiments import ExperimentWatch, foreign_experiments
from explorer.store.connection import Connection
from explorer.store.schema import PLAIN
from tests.stores import empty_store


@pytest.fixture
def uri(tmp_path: Path) -> str:
    """An experiment with a parent, two children and a lone run."""
    uri = empty_store(tmp_path)
    client = Connection(uri).client
    place = client.create_experiment("<i>theirs</i>")
    client.create_experiment("empty")
    parent = client.create_run(place, start_time=1).info.run_id
    for start, (lr, loss) in enumerate((("0.1", 0.5), ("1e-3", 0.25)), start=2):
        run = client.create_run(place, start_time=start, tags={"mlflow.parentRunId": parent}).info.run_id
        client.log_param(run, "lr", lr)
        client.log_param(run, "flag", "True")
        client.log_param(run, "nothing", "None")
        client.log_metric(run, "val/loss", 9.0, step=1)
        client.log_metric(run, "val/loss", loss, step=2)
        client.log_metric(run, "accuracy", 1 - loss)
        client.set_terminated(run, "FINISHED" if start == 2 else "FAILED")
    client.create_run(place, start_time=9)
    return uri


def test_runs_are_trials(uri: str) -> None:
    store = ResultStore(uri)
    (info,) = foreign_experiments(store, ())
    assert (info.name, info.kind, info.status, info.trials) == ("<i>theirs</i>", "experiment", "running", 4)
    watch = ExperimentWatch(store, info)
    table = watch.look()
    assert [trial.status for trial in table] == ["finished", "failed", "running"]
    first = table.trials[0]
    assert first.params == {"lr": 0.1, "flag": True}
    assert table.trials[1].params["lr"] == 0.001
    assert first.metrics == {"val/loss": 0.5, "accuracy": 0.5}
    assert first.id == first.run_id
    assert table.goals == (Goal("accuracy", "max"), Goal("val/loss", "min"))
    assert watch.look() is table
    Connection(uri).client.log_metric(table.trials[2].run_id, "accuracy", 0.75)
    again = watch.look()
    assert again.trials[0] is first
    assert again.trials[2].metrics == {"accuracy": 0.75}


def test_experiments_with_sweeps_of_ours_are_not_among_them(uri: str) -> None:
    (info,) = foreign_experiments(ResultStore(uri), ())
    assert foreign_experiments(ResultStore(uri), {info.experiment_id}) == []


def test_keys_of_theirs_are_no_readings(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    client = Connection(uri).client
    run = client.create_run(client.create_experiment("folds")).info.run_id
    told = {"acc": 0.9, "fold/1/acc": 0.1, "fold/2/acc": 0.2, "head/1/acc": 0.3, "K2/acc": 0.4}
    for key, value in told.items():
        client.log_metric(run, key, value)
    client.log_metric(run, "lost", float("nan"))
    store = ResultStore(uri)
    (info,) = foreign_experiments(store, ())
    (trial,) = ExperimentWatch(store, info).look()
    assert trial.readings == {PLAIN: told}
