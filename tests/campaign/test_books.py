"""What the books of a campaign find wrong, in stores in which it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.store.connection import Connection
from explorer.tracking import Tracker
from tests.campaign.books import Books
from tests.stores import empty_store


@pytest.fixture
def tracker(tmp_path: Path) -> Tracker:
    opened = Tracker(empty_store(tmp_path), "tests")
    opened.open_sweep("s", {"fid": "min"}, "", "name: x", '{"metrics": []}')
    opened.start([("a", {}), ("b", {})])
    opened.log("a", 1, {"fid": 2.0})
    return opened


def test_nothing_is_wrong_with_a_sweep_that_goes_on(tracker: Tracker, tmp_path: Path) -> None:
    books = Books(tmp_path / "mlflow.db", "s")
    assert books.faults(books.page()) == []
    tracker.log("a", 2, {"fid": 1.0})
    tracker.finish("a")
    assert books.faults(books.page()) == []
    tracker.log("b", 1, {"fid": 3.0})
    tracker.fail("b", "diverged: …")
    page = books.page()
    assert books.faults(page) == []
    assert (page.statuses, page.reasons["b"]) == ({"a": "FINISHED", "b": "FAILED"}, "diverged: …")
    assert (page.finished(), page.parents) == ({"a"}, ("RUNNING",))


def test_what_was_finished_must_stay_as_it_was(tracker: Tracker, tmp_path: Path) -> None:
    books, client = (
        Books(tmp_path / "mlflow.db", "s"),
        Connection(f"sqlite:///{tmp_path / 'mlflow.db'}").client,
    )
    tracker.finish("a")
    assert books.faults(books.page()) == []
    run = tracker._children["a"].run_id
    client.log_metric(run, "fid", 9.0, step=3)
    assert books.faults(books.page()) == ["a was finished and has been written since"]
    client.update_run(run, status="RUNNING")
    assert books.faults(books.page()) == ["a was finished and is RUNNING"]
    client.delete_run(run)
    assert books.faults(books.page()) == ["a was finished and is gone"]


def test_what_is_there_twice_is_told(tracker: Tracker, tmp_path: Path) -> None:
    books, client = (
        Books(tmp_path / "mlflow.db", "s"),
        Connection(f"sqlite:///{tmp_path / 'mlflow.db'}").client,
    )
    client.log_metric(tracker._children["a"].run_id, "fid", 2.5, step=1)
    assert books.faults(books.page()) == [], "read again, and another number"
    client.log_metric(tracker._children["a"].run_id, "fid", 2.0, step=1)
    assert books.faults(books.page()) == ["a has fid twice at a step"]
    experiment = client.get_run(tracker._children["b"].run_id).info.experiment_id
    trial = {"tradeoff.sweep": "s", "tradeoff.kind": "trial", "tradeoff.trial": "b"}
    client.create_run(experiment, tags=trial)
    client.create_run(experiment, tags={"tradeoff.sweep": "s", "tradeoff.kind": "sweep"})
    wrong = books.faults(books.page())
    assert {"b has 2 runs", "the sweep has 2 runs"} <= set(wrong)


def test_a_store_that_is_not_made_yet_is_empty(tmp_path: Path) -> None:
    assert Books(tmp_path / "mlflow.db", "s").page().statuses == {}
