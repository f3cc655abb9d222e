"""Our front comes back the same, whichever way it went: a CSV file, Optuna, MLflow of ours and of others, Ray."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import optuna
import pytest
from mlflow.entities import Metric, Param

from explorer.errors import UserError
from explorer.goals import Goal
from explorer.pareto import trials_csv
from explorer.results.store import ResultStore
from explorer.store.connection import Connection
from explorer.store.schema import PLAIN
from explorer.transfer import import_address
from tests.explorer.transfer.made import TWICE, front_of, made_store, table_of, whole
from tests.stores import empty_store

GOALS = (Goal("precision", "max"), Goal("recall", "max"))

optuna.logging.set_verbosity(optuna.logging.ERROR)


def as_csv(uri: str, folder: Path) -> Path:
    file = folder / "ring.csv"
    file.write_text(trials_csv(ResultStore(uri).table("ring")))
    return file


def as_study(uri: str, folder: Path) -> Path:
    """The same trials as Optuna itself keeps them."""
    study = optuna.create_study(
        storage=f"sqlite:///{folder / 'ring.db'}", study_name="ring", directions=["maximize", "maximize"]
    )
    with warnings.catch_warnings(action="ignore"):
        study.set_metric_names(["precision", "recall"])
    states = {"finished": optuna.trial.TrialState.COMPLETE, "failed": optuna.trial.TrialState.FAIL}
    wide = optuna.distributions.FloatDistribution(0, 10)
    for trial in ResultStore(uri).table("ring"):
        lam = trial.params.get("objective.lam")
        done = trial.status == "finished"
        study.add_trial(
            optuna.trial.create_trial(
                state=states.get(trial.status, optuna.trial.TrialState.PRUNED),
                params={} if lam is None else {"objective.lam": lam},
                distributions={} if lam is None else {"objective.lam": wide},
                values=[trial.metrics["precision"], trial.metrics["recall"]] if done else None,
            )
        )
    return folder / "ring.db"


def as_ray(uri: str, folder: Path) -> Path:
    """The same trials as Ray Tune keeps them."""
    states = []
    for trial in ResultStore(uri).table("ring"):
        inner = folder / "ring" / f"train_{trial.id}"
        inner.mkdir(parents=True)
        (inner / "params.json").write_text(json.dumps(dict(trial.params)))
        report = {"trial_id": trial.id, "training_iteration": 20, **trial.metrics}
        (inner / "result.json").write_text(json.dumps(report) + "\n")
        word = {"finished": "TERMINATED", "failed": "ERROR"}.get(trial.status, "PAUSED")
        states.append([json.dumps({"status": word, "relative_logdir": inner.name}), "{}"])
    (folder / "ring" / "experiment_state-2026.json").write_text(json.dumps({"trial_data": states}))
    return folder


def as_others(uri: str, folder: Path) -> Path:
    """The same trials as somebody writes them to MLflow who knows nothing of us."""
    client = Connection(empty_store(folder / "others")).client
    experiment = client.create_experiment("ring")
    for trial in ResultStore(uri).table("ring"):
        run = client.create_run(experiment).info.run_id
        params = [Param(path, str(value)) for path, value in trial.params.items()]
        client.log_batch(run, [Metric(key, value, 1, 7) for key, value in trial.metrics.items()], params)
        client.set_terminated(run, trial.status.upper())
    return folder / "others" / "mlflow.db"


@pytest.mark.parametrize("way", [as_csv, as_study, as_ray, as_others])
def test_our_front_is_the_same_through_what_others_read(uri: str, tmp_path: Path, way: Any) -> None:
    address = str(way(uri, tmp_path))
    there = empty_store(tmp_path / "there")
    found = import_address(address, there, goals=GOALS)
    assert (found.sweep, found.written) == ("ring", 6)
    table, ours = table_of(there), table_of(uri)
    assert front_of(table) == front_of(ours)
    assert sorted(trial.status for trial in table) == sorted(trial.status for trial in ours)
    lams = [trial.params.get("objective.lam") for trial in table]
    assert lams == [trial.params.get("objective.lam") for trial in ours]
    if way is as_csv:
        assert front_of(table, TWICE) == front_of(ours, TWICE)
        assert [trial.id for trial in table] == [trial.id for trial in ours]
    again = import_address(address, there, goals=GOALS)
    assert (again.written, again.known) == (0, 6)
    assert len(table_of(there)) == 6


def test_a_sweep_of_ours_in_another_store_comes_whole_and_grows(tmp_path: Path) -> None:
    uri, there = made_store(tmp_path / "here"), empty_store(tmp_path / "there")
    import_address(uri, there, sweep="ring")
    assert whole(there) == whole(uri)
    client = Connection(uri).client
    run = ResultStore(uri).table("ring").trials[0].run_id
    client.log_metric(run, "precision", 0.99, step=30)
    found = import_address(uri, there, sweep="ring")
    assert (found.written, found.known) == (1, 5)
    first = ResultStore(there).table("ring").trials[0]
    assert first.metrics["precision"] == 0.99
    assert [step for step, _ in ResultStore(there).history(first.run_id, "precision")] == [10, 20, 30]
    with pytest.raises(UserError, match="has objectives of its own; leave out --goals"):
        import_address(uri, there, sweep="ring", goals=GOALS)


def test_a_table_that_changed_is_what_it_is_now(tmp_path: Path) -> None:
    there, file = empty_store(tmp_path), tmp_path / "t.csv"
    file.write_text("id,status,lr,precision,metric:loss\na,running,1,0.5,9\nb,finished,2,0.9,3\n")
    import_address(str(file), there)
    table = ResultStore(there).table("t")
    assert [trial.status for trial in table] == ["killed", "finished"], "nobody drives it here"
    file.write_text("id,status,lr,precision\na,finished,1,0.25\nc,finished,3,0.75\n")
    found = import_address(str(file), there)
    assert found.written == 2
    assert found.notes == ("no longer there, and kept in the sweep: 1 trial of an earlier import",)
    a, b, c = ResultStore(there).table("t")
    assert (a.status, a.metrics) == ("finished", {"precision": 0.25})
    assert b.metrics == {"precision": 0.9, "loss": 3.0}
    assert (c.status, c.metrics["precision"]) == ("finished", 0.75)


def test_objectives_that_are_chosen_later_take_the_place_of_earlier_ones(tmp_path: Path) -> None:
    there, file = empty_store(tmp_path), tmp_path / "t.csv"
    file.write_text("id,lr,precision,recall,fid\na,1,0.5,0.25,3\nb,2,0.25,0.5,2\n")
    chosen = (Goal("fid", "min"), Goal("recall", "max"))
    for goals, expected in ((GOALS, GOALS), (None, GOALS), (chosen, chosen), (None, chosen)):
        import_address(str(file), there, goals=goals)
        assert ResultStore(there).table("t").goals == expected


def test_of_several_sweeps_one_is_named(uri: str, tmp_path: Path) -> None:
    there = empty_store(tmp_path)
    study = f"sqlite:///{tmp_path / 'o.db'}"
    for name in ("one", "two"):
        optuna.create_study(storage=study, study_name=name).optimize(lambda trial: trial.number, n_trials=1)
    with pytest.raises(UserError, match=r"holds several sweeps, .*; say which with --sweep"):
        import_address(study, there)
    with pytest.raises(UserError, match=r"no sweep 'three'"):
        import_address(study, there, sweep="three")
    assert import_address(study, there, sweep="two").sweep == "two"
    with pytest.raises(UserError, match=r"an objective must be measured, got 'fid'"):
        import_address(study, there, sweep="one", goals=[Goal("fid", "min")])
    with pytest.raises(UserError, match="a sweep's name is letters"):
        import_address(study, there, "no name", sweep="one")
    assert PLAIN in ResultStore(there).table("two").trials[0].readings


@pytest.mark.parametrize(
    "address",
    [
        "http://me:secret@127.0.0.1:1", "postgresql://me:secret@127.0.0.1:1/x", "http://127.0.0.1:1/?token=secret",
        "me:secret@127.0.0.1:1", "//me:secret@127.0.0.1/x", "http:me:secret@127.0.0.1",
        "optuna:postgresql://me:secret@127.0.0.1/x", "optuna:me:secret@127.0.0.1",
    ],
)  # fmt: skip
def test_a_password_is_refused_and_told_nowhere(address: str, tmp_path: Path) -> None:
    told = list[str]()
    with pytest.raises(UserError, match=r"an address without a password|there is no file") as refused:
        import_address(address, f"sqlite:///{tmp_path / 'new.db'}", stage=told.append)
    assert "secret" not in f"{refused.value}{told}"
    assert not (tmp_path / "new.db").exists()
