"""Names and identities of others, as a store of ours takes them."""

from __future__ import annotations

import json
from pathlib import Path

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
