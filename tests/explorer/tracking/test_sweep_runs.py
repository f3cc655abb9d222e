"""Every run of a sweep is made once, also where a request is carried out later than anybody waits for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from explorer.store.schema import PLAIN
from explorer.tracking import Tracker
from tests.stores import empty_store


def test_a_run_that_came_late_does_not_stay_beside_the_one_that_counts(tmp_path: Path) -> None:
    """A request to create a run was given up, made again, and is carried out after all."""
    uri = empty_store(tmp_path)
    tracker = Tracker(uri, "tests")
    tracker.open_sweep("late", {"fid": "min"}, "", "name: x\n", '{"metrics": []}')
    client: Any = tracker._store.client
    create, lost = client.create_run, [ConnectionResetError("cut off")]

    def late(*arguments: Any, **named: Any) -> Any:
        if lost:
            late.request = lambda: create(*arguments, **named)  # type: ignore[attr-defined]
            raise lost.pop()
        return create(*arguments, **named)

    client.create_run = late
    monkey = pytest.MonkeyPatch()
    monkey.setattr("explorer.store.connection._is_hopeless", lambda error, uri: False)
    tracker.start([("a", {})])
    monkey.undo()
    late.request()  # type: ignore[attr-defined]
    tracker.log("a", 1, {"fid": 1.0}, {PLAIN: "x"})
    tracker.finish("a")
    tracker.close_sweep(interrupted=False)
    store = Tracker(uri, "tests")._store
    runs = list(
        store.search([store.experiment("tests")], {"tradeoff.sweep": "late", "tradeoff.kind": "trial"})
    )
    assert [run.status for run in runs] == ["finished"]
