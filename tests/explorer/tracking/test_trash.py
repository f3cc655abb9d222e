"""The trash through a real server, whose answers may be lost."""

from __future__ import annotations

import pytest

from explorer.deletion import delete, planned, undo
from explorer.errors import UserError
from explorer.results.store import ResultStore
from explorer.store import deletion_mark
from explorer.store.connection import Connection
from explorer.store.deletion_mark import is_mark
from explorer.tracking import Tracker
from explorer.tracking.trash import Trash
from tests.stores import empty_store


def write(uri: str, trials: int, sweep: str = "far") -> None:
    tracker = Tracker(uri, "trash")
    tracker.open_sweep(sweep, {"fid": "min"}, "", "name: far\n", "{}")
    tracker.start([(f"{i:012x}", {"seed": i}) for i in range(trials)])
    tracker.close_sweep(interrupted=False)


def test_through_a_server_nothing_is_lost_with_its_answers(link) -> None:
    write(link.uri, 5)
    plan = planned(link.uri, "far", "trash")
    link.lose += ["runs/delete", "runs/delete"]
    heard: list[str] = []
    assert delete(plan, heard.append) == 5
    assert heard[-1] == "5 of 5 trials moved to the trash"
    assert "far" not in {info.name for info in ResultStore(link.uri).sweeps()}
    link.lose += ["runs/restore", "runs/restore"]
    assert undo(link.uri, "far", "trash").trials == 5
    assert len(ResultStore(link.uri).table("far")) == 5


def test_through_a_server_what_lay_in_the_trash_before_stays_there(
    link, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deletion_mark, "MOST", 2)
    write(link.uri, 7, "before")
    client, runs = (
        Connection(link.uri).client,
        [trial.run_id for trial in ResultStore(link.uri).table("before")],
    )
    for run in runs[:5]:
        client.delete_run(run)
    link.lose += ["runs/set-tag", "runs/set-tag"]
    assert delete(planned(link.uri, "before", "trash")) == 2
    link.lose += ["runs/delete-tag"]
    assert undo(link.uri, "before", "trash").trials == 2
    assert {trial.run_id for trial in ResultStore(link.uri).table("before")} == set(runs[5:])
    assert not any(is_mark(key) for key in ResultStore(link.uri).parent("before").tags)


def test_a_run_that_is_not_there_is_told(tmp_path) -> None:
    with pytest.raises(UserError, match="run nobody cannot be changed"):
        Trash(empty_store(tmp_path)).throw(["nobody"])
