"""Headings of programs that write their trials down, by those programs where they are here."""

from __future__ import annotations

from pathlib import Path

import mlflow
import optuna
import pytest
from mlflow.entities import Metric, Param

from explorer.results.table import TrialTable
from explorer.sources.csv_file import csv_table
from explorer.store.connection import Connection
from tests.stores import empty_store

optuna.logging.set_verbosity(optuna.logging.ERROR)


def told(table: TrialTable) -> list[tuple[str, str, dict[str, object], dict[str, float]]]:
    return [(one.id, one.status, dict(one.params), dict(one.metrics)) for one in table]


def test_a_table_of_mlflows_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uri = empty_store(tmp_path)
    client = Connection(uri).client
    experiment = client.create_experiment("theirs")
    runs = []
    for status, metrics in (("FINISHED", [Metric("precision", 0.5, 1, 1)]), ("FAILED", [])):
        runs.append(client.create_run(experiment, tags={"note": "x"}).info.run_id)
        client.log_batch(runs[-1], metrics, [Param("lr", "0.1"), Param("opt", "adam")])
        client.set_terminated(runs[-1], status)
    monkeypatch.setattr("mlflow.tracking._tracking_service.utils._tracking_uri", None)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    found = csv_table("t", mlflow.search_runs([experiment], order_by=["start_time"]).to_csv(index=False))
    same = {"lr": 0.1, "opt": "adam"}
    assert sorted(told(found)) == sorted(
        [(runs[0], "finished", same, {"precision": 0.5}), (runs[1], "failed", same, {})]
    )
    assert found.faults == ()


@pytest.mark.parametrize("names", [["precision", "recall"], None])
def test_a_table_of_an_optuna_study(names: list[str] | None) -> None:
    study = optuna.create_study(directions=["maximize", "maximize"])
    if names:
        study.set_metric_names(names)
    wide = {"lr": optuna.distributions.FloatDistribution(0, 1)}
    states = optuna.trial.TrialState
    for state, values in ((states.COMPLETE, [0.5, 0.25]), (states.FAIL, None), (states.PRUNED, None)):
        noted = {"seconds": 3.5, "note": "x"}
        trial = optuna.trial.create_trial(
            state=state, params={"lr": 0.5}, distributions=wide, values=values, user_attrs=noted
        )
        study.add_trial(trial)
    found = csv_table("t", study.trials_dataframe().to_csv())
    params, first, second = {"lr": 0.5, "note": "x"}, *(names or ["values_0", "values_1"])
    assert told(found) == [
        ("0", "finished", params, {first: 0.5, second: 0.25, "seconds": 3.5}),
        ("1", "failed", params, {"seconds": 3.5}),
        ("2", "killed", params, {"seconds": 3.5}),
    ]
    single = optuna.create_study()
    single.add_trial(optuna.trial.create_trial(params={"lr": 0.5}, distributions=wide, value=2.0))
    assert told(csv_table("t", single.trials_dataframe().to_csv())) == [
        ("0", "finished", {"lr": 0.5}, {"values_0": 2.0})
    ]


def test_tables_of_programs_that_are_not_here() -> None:
    ray = (
        "loss,epochs,time_total_s,training_iteration,trial_id,date,pid,config/lr,config/net/deep,logdir\n"
        "0.5,3,1.5,3,a1_0,2026-01-01_00-00-00,77,0.1,4,a1\n"
    )
    params = {"lr": 0.1, "net.deep": 4}
    metrics = {"loss": 0.5, "epochs": 3.0, "time_total_s": 1.5}
    assert told(csv_table("t", ray)) == [("a1_0", "finished", params, metrics)]
    biases = (
        '"Name","State","Notes","User","Tags","Created","Runtime","Sweep","opt","loss"\n'
        '"happy-1","finished","-","me","","2026-01-01T00:00:00.000Z","12","","adam","0.5"\n'
        '"sad-2","crashed","-","me","","2026-01-01T00:00:00.000Z","13","","sgd","1.5"\n'
    )
    assert told(csv_table("t", biases)) == [
        ("happy-1", "finished", {"opt": "adam"}, {"loss": 0.5}),
        ("sad-2", "failed", {"opt": "sgd"}, {"loss": 1.5}),
    ]
    pages = (
        "Start Time,Duration,Run ID,Name,Source Type,Source Name,User,Status,opt,fid\n"
        "2026-01-01 00:00:00,1s,ab,one,LOCAL,a.py,me,FAILED,adam,3\n"
    )
    assert told(csv_table("t", pages)) == [("ab", "failed", {"opt": "adam"}, {"fid": 3.0})]


def test_how_a_trial_stands_is_told_under_more_than_one_heading() -> None:
    (one, two) = csv_table("t", "State,fid\nFAIL,1\nCOMPLETE,2\n")
    assert (one.status, two.status) == ("failed", "finished")
    (single,) = csv_table("t", "state,fid\nOhio,1\n")
    assert (single.status, single.params) == ("finished", {"state": "Ohio"})
    (both,) = csv_table("t", "status,state,fid\nfailed,killed,1\n")
    assert (both.status, both.params) == ("failed", {"state": "killed"})
