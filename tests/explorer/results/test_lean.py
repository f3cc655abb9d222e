"""A sweep as a launch wants to know it: the whole table's word where that is told, and None where it is not."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from explorer.results.lean import LeanSweep, lean_sweep
from explorer.results.store import ResultStore
from explorer.store.connection import Connection
from explorer.store.schema import CATALOGUE_FILE, KIND, LAYOUT, SWEEP_FILE, TRIAL, parent_tags
from explorer.tracking import Tracker
from tests.stores import empty_store

GOALS = {"fid": "min", "recall": "max"}
FILES = {SWEEP_FILE: "name: λ\n", CATALOGUE_FILE: '{"metrics": []}'}


def begun(folder: Path) -> tuple[str, Tracker]:
    uri = empty_store(folder)
    tracker = Tracker(uri, "tests")
    tracker.open_sweep("s", GOALS, "what", FILES[SWEEP_FILE], FILES[CATALOGUE_FILE])
    tracker.start([(name, {"dataset.name": "ring", "seed": 1}) for name in "abc"])
    tracker.log("a", 9, {"fid": 1.5, "recall": 0.5, "kid": 3.0})
    tracker.finish("a")
    tracker.fail("b", "not finite", kind="diverged")
    return uri, tracker


def lean(uri: str) -> LeanSweep | None:
    return lean_sweep(uri, "tests", "s", GOALS)


def test_it_is_what_the_table_says(tmp_path: Path) -> None:
    uri, _ = begun(tmp_path)
    found = lean(uri)
    assert found is not None
    for one, trial in zip(found.trials, ResultStore(uri).table("s"), strict=True):
        assert (one.id, one.run_id, one.status, one.reason) == (
            trial.id,
            trial.run_id,
            trial.status,
            trial.reason,
        )
        assert (one.marks, one.stopped, one.outcome, one.layout) == (
            trial.marks, trial.stopped, trial.outcome, trial.layout,
        )  # fmt: skip
        assert one.params == {"dataset.name": "ring"}
        assert one.metrics == {key: value for key, value in trial.metrics.items() if key in GOALS}


def test_an_end_is_known_to_be_written_only_where_it_says_the_same(tmp_path: Path) -> None:
    uri, tracker = begun(tmp_path)
    tags = parent_tags(GOALS, "what")

    def closed(tags: dict[str, str] = tags, files: dict[str, str] = FILES) -> bool:
        found = lean(uri)
        assert found is not None
        return found.is_closed(tags, files)

    assert not closed(), "it runs"
    tracker.close_sweep(interrupted=False)
    assert closed()
    assert not closed(tags=parent_tags({"fid": "min"}, "what"))
    assert not closed(tags=parent_tags(GOALS, "other words"))
    assert not closed(files={**FILES, SWEEP_FILE: "name: y\n"})
    assert not closed(files={**FILES, "more": ""})
    tracker.close_sweep(interrupted=True)
    assert not closed()


def test_a_trial_that_a_dead_driver_left_running_is_not_closed(tmp_path: Path) -> None:
    uri, tracker = begun(tmp_path)
    tracker.close_sweep(interrupted=False)
    client = Connection(uri).client
    found = lean(uri)
    assert found is not None
    client.update_run(found.trials[0].run_id, status="RUNNING")
    found = lean(uri)
    assert found is not None
    assert not found.is_closed(parent_tags(GOALS, "what"), FILES)


@pytest.mark.parametrize("what", ["older", "nameless", "twice", "unmeasured", "other tables", "no database"])
def test_where_only_the_whole_table_tells_it_is_left_to_that(tmp_path: Path, what: str) -> None:
    uri, tracker = begun(tmp_path)
    assert lean(uri) is not None
    found = lean(uri)
    assert found is not None
    client, run = Connection(uri).client, found.trials[0].run_id
    file = tmp_path / "mlflow.db"
    if what == "older":
        client.delete_tag(run, LAYOUT)
    elif what == "nameless":
        client.delete_tag(run, TRIAL)
    elif what == "twice":
        client.set_tag(run, TRIAL, "b")
    elif what == "unmeasured":
        tracker.start([("d", {})])
        tracker.log("d", 1, {"fid": float("nan"), "kid": 1.0})
        tracker.finish("d")
    elif what == "other tables":
        with sqlite3.connect(file) as link:
            link.execute("ALTER TABLE latest_metrics RENAME TO elsewhere")
    else:
        file.write_text("no database")
    assert lean(uri) is None


def test_other_stores_are_asked_in_full(tmp_path: Path) -> None:
    assert lean_sweep("http://localhost:1", "tests", "s", GOALS) is None
    assert lean_sweep(f"sqlite:///{tmp_path / 'absent.db'}", "tests", "s", GOALS) is None
    assert list(tmp_path.iterdir()) == []
    uri, _ = begun(tmp_path / "there")
    assert lean_sweep(uri, "tests", "other", GOALS) is None
    assert KIND in parent_tags({}, "")
