"""Runs read from the file itself are those that MLflow has, with what was asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from explorer.store.connection import Connection
from explorer.store.lean import lean_runs
from explorer.store.schema import KIND, PARENT, TRIAL
from explorer.tracking import Tracker
from tests.stores import empty_store


def filled(folder: Path) -> tuple[Path, str]:
    uri = empty_store(folder)
    tracker = Tracker(uri, "tests")
    tracker.open_sweep("s", {"fid": "min"}, "", "name: x", '{"metrics": []}')
    tracker.start([("a", {"dataset.name": "ring", "seed": 1}), ("b", {"dataset.name": "ring", "seed": 2})])
    tracker.log("a", 5, {"fid": 2.0, "recall": float("nan"), "kid": 3.0})
    tracker.log("a", 9, {"fid": 1.5, "recall": float("nan"), "kid": 3.0})
    tracker.finish("a")
    tracker.fail("b", "broken")
    return folder / "mlflow.db", uri


def test_they_are_those_that_mlflow_has(tmp_path: Path) -> None:
    file, uri = filled(tmp_path)
    store = Connection(uri)
    experiment = store.client.get_experiment_by_name("tests").experiment_id
    (parent,) = store.search([experiment], {KIND: "sweep"})
    (lean,) = lean_runs(file, "tests", (KIND, "sweep"))
    assert (lean.run_id, lean.experiment_id, lean.tags) == (parent.run_id, parent.experiment_id, parent.tags)
    whole = list(store.search([experiment], {PARENT: parent.run_id}))
    runs = lean_runs(file, "tests", (PARENT, parent.run_id), [TRIAL], "dataset.", ["fid", "recall"])
    for one, run in zip(runs, whole, strict=True):
        assert (one.run_id, one.status, one.started, one.ended) == (
            run.run_id,
            run.status,
            run.started,
            run.ended,
        )
        assert one.artifact_uri == run.artifact_uri
        assert one.tags == {TRIAL: run.tags[TRIAL]}
        assert one.params == {"dataset.name": "ring"}
    assert [one.metrics for one in runs] == [{"fid": 1.5}, {}]


def test_what_is_in_the_trash_or_elsewhere_is_not_found(tmp_path: Path) -> None:
    file, uri = filled(tmp_path)
    assert lean_runs(file, "others", (KIND, "sweep")) == []
    (parent,) = lean_runs(file, "tests", (KIND, "sweep"))
    Connection(uri).client.delete_run(parent.run_id)
    assert lean_runs(file, "tests", (KIND, "sweep")) == []


def test_mlflow_is_not_loaded(tmp_path: Path) -> None:
    file, _ = filled(tmp_path)
    code = (
        "import sys; from pathlib import Path; from explorer.store.lean import lean_runs\n"
        "assert len(lean_runs(Path(sys.argv[1]), 'tests', ('tradeoff.kind', 'trial'))) == 2\n"
        "assert 'mlflow' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(file)], check=True)
