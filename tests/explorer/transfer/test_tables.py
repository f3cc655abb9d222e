"""Names and identities of others, as a store of ours takes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import optuna
from hypothesis import given
from hypothesis import strategies as st
from mlflow.entities import Metric
from mlflow.utils.validation import _validate_metric_name

from explorer.results.store import ResultStore
from explorer.results.whole import WholeSweep
from explorer.store.connection import Connection
from explorer.store.schema import PLAIN, SOURCE, parse_metric_key
from explorer.store.whole import Point
from explorer.transfer import import_address
from explorer.transfer.tables import fitted
from tests.stores import empty_store


@given(st.sets(st.text(min_size=1, max_size=300), max_size=6), st.booleans())
def test_any_names_become_as_many_that_mlflow_takes(names: set[str], plain: bool) -> None:
    found = fitted(names, plain)
    assert set(found) == names
    assert len({*found.values()}) == len(names)
    for name in found.values():
        _validate_metric_name(name)
        assert len(name) <= 250
        assert not plain or parse_metric_key(name) == (PLAIN, name)


def test_sound_names_stay_whatever_stands_beside_them() -> None:
    assert fitted(["a?", "a_", "a!"]) == {"a_": "a_", "a!": "a__2", "a?": "a__3"}
    assert fitted(["val/1/loss", "a/b"], plain=True) == {"val/1/loss": "val.1.loss", "a/b": "a/b"}


def test_parameters_called_as_ways_to_read_ours_are_those_of_others(tmp_path: Path) -> None:
    there, file = empty_store(tmp_path), tmp_path / "t.csv"
    file.write_text("id,evaluation,evaluation.k,refinement.budget,fid\na,fid,3,2,0.5\n")
    import_address(str(file), there)
    (trial,) = ResultStore(there).table("t")
    assert trial.params == {"evaluation": "fid", "evaluation.k": 3, "refinement.budget": 2}
    tags = Connection(there).run(trial.run_id).tags
    assert json.loads(tags[SOURCE]) == {"kind": "csv", "trial": "a"}


def test_histories_come_with_their_steps_and_times(tmp_path: Path) -> None:
    here, there = empty_store(tmp_path / "here"), empty_store(tmp_path / "there")
    client = Connection(here).client
    run = client.create_run(client.create_experiment("theirs")).info.run_id
    told = [(0, 100, 3.0), (5, 400, 2.0), (2, 500, 2.5), (5, 600, 1.0)]
    client.log_batch(run, [Metric("loss", value, time, step) for step, time, value in told])
    client.set_terminated(run, "FINISHED", 1000)
    import_address(here, there)
    sweep = WholeSweep(ResultStore(there), "theirs")
    ((_, came),) = sweep.trials
    assert sweep.run(came).histories == {"loss": tuple(Point(*point) for point in sorted(told))}
    assert ResultStore(there).table("theirs").trials[0].metrics == {"loss": 1.0}


def test_what_is_called_otherwise_is_told_and_rows_keep_their_identity(tmp_path: Path) -> None:
    there, file = empty_store(tmp_path), tmp_path / "of others.csv"
    file.write_text("größe €,metric:k2/1/fid,metric:K2/x,text\n1,0.5,1.5,\n1,0.25,2.5,=SUM(A1)\n")
    found = import_address(str(file), there)
    assert found.sweep == "of-others"
    assert "'k2/1/fid' is called 'k2.1.fid' here" in found.notes
    table = ResultStore(there).table("of-others")
    assert [trial.metrics for trial in table] == [
        {"k2.1.fid": 0.5, "K2.x": 1.5},
        {"k2.1.fid": 0.25, "K2.x": 2.5},
    ]
    assert table.trials[1].params["text"] == "=SUM(A1)"
    before = {trial.id: trial.metrics for trial in table}
    file.write_text("größe €,metric:k2/1/fid,metric:K2/x,text\n7,9,9,\n1,0.5,1.5,\n1,0.25,2.5,=SUM(A1)\n")
    assert import_address(str(file), there).written == 1
    after = {trial.id: trial.metrics for trial in ResultStore(there).table("of-others")}
    assert before.items() <= after.items()


def trials_of(uri: str, name: str) -> list[tuple[dict[str, Any], dict[str, float]]]:
    return [(dict(trial.params), dict(trial.metrics)) for trial in ResultStore(uri).table(name)]


def test_a_run_that_tells_a_parameter_later_is_the_same_trial(tmp_path: Path) -> None:
    here, there = empty_store(tmp_path / "here"), empty_store(tmp_path / "there")
    client = Connection(here).client
    run = client.create_run(client.create_experiment("theirs")).info.run_id
    client.log_param(run, "lr", 0.5)
    client.log_metric(run, "loss", 2.0)
    import_address(here, there)
    client.log_param(run, "depth", 3)
    client.log_metric(run, "loss", 1.0, step=1)
    client.set_terminated(run)
    found = import_address(here, there)
    assert (found.written, found.known, found.notes) == (1, 0, ())
    assert trials_of(there, "theirs") == [({"lr": 0.5, "depth": 3}, {"loss": 1.0})]
    assert import_address(here, there).known == 1


def test_a_study_that_asks_as_it_goes_has_each_trial_once_and_one_begun_anew_has_others(
    tmp_path: Path,
) -> None:
    there, file = empty_store(tmp_path), tmp_path / "o.db"
    for scale in (1, 2):
        study = optuna.create_study(storage=f"sqlite:///{file}", study_name="s", direction="minimize")
        for number in range(2):
            trial = study.ask()
            trial.suggest_float("x", scale + number, scale + number)
            import_address(str(file), there)
            trial.suggest_int("y", 7, 7)
            study.tell(trial, 10.0 * scale + number)
        import_address(str(file), there)
        assert import_address(str(file), there).written == 0
        file.unlink()
    expected = [({"x": s + n, "y": 7}, {"values_0": 10.0 * s + n}) for s in (1, 2) for n in range(2)]
    assert trials_of(there, "s") == expected


def test_a_row_with_an_id_may_be_told_more_and_one_with_other_values_is_another(tmp_path: Path) -> None:
    there, file = empty_store(tmp_path), tmp_path / "t.csv"
    for rows in ("id,lr,fid\na,1,5\n", "id,lr,fid,depth\na,1,4,2\n", "id,lr,fid,depth\na,1,3,2\nb,1,9,2\n"):
        file.write_text(rows)
        import_address(str(file), there)
    assert trials_of(there, "t") == [
        ({"lr": 1, "depth": 2}, {"fid": 3.0}),
        ({"lr": 1, "depth": 2}, {"fid": 9.0}),
    ]
    file.write_text("id,lr,fid,depth\na,1,3,8\nb,1,9,2\n")
    assert import_address(str(file), there).written == 1
    assert sorted(params["depth"] for params, _ in trials_of(there, "t")) == [2, 2, 8]
    assert import_address(str(file), there).written == 0


def test_a_trial_of_rays_is_known_by_its_folder(tmp_path: Path) -> None:
    there, inner = empty_store(tmp_path / "there"), tmp_path / "exp" / "train_ab_00000"
    inner.mkdir(parents=True)
    (inner / "result.json").write_text(json.dumps({"training_iteration": 1, "fid": 3.0}) + "\n")
    for params in ({"lr": 1}, {"lr": 1, "depth": 2}):
        (inner / "params.json").write_text(json.dumps(params))
        import_address(str(tmp_path / "exp"), there)
    assert trials_of(there, "exp") == [({"lr": 1, "depth": 2}, {"fid": 3.0})]
