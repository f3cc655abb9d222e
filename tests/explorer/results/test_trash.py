"""Which runs of the trash come back."""

from __future__ import annotations

from explorer.results.trash import returning
from explorer.store.runs import StoredRun
from explorer.store.schema import TRIAL, Status


def run(run_id: str, trial: str, status: Status = "finished") -> StoredRun:
    return StoredRun(run_id, "1", status, 0, 0, "", {TRIAL: trial} if trial else {}, {}, {}, None)


def test_of_each_trial_without_a_run_the_most_complete_comes_back_but_not_what_lay_there_before() -> None:
    living = [run("1", "here")]
    trash = [
        run("2", "here"),
        run("3", "twice", "failed"),
        run("4", "twice"),
        run("5", "long gone"),
        run("6", ""),
        run("7", ""),
    ]
    assert [one.run_id for one in returning(living, trash, {"5"})] == ["4", "6", "7"]
