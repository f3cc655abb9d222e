"""Runs are read whatever others wrote; which readings one has, which numbers grew stale, which of two twins to keep."""

from __future__ import annotations

from typing import Any

import pytest
from mlflow.entities import Metric, Param, Run, RunData, RunInfo, RunTag

from explorer.store.runs import Remembered, StoredRun, most_complete, remember, stored
from explorer.store.schema import PLAIN, At, encode_readings

OBRS2, OBRS4, HALVING = At("obrs", 2.0), At("obrs", 4.0), At("halving", 2.0)


def run(
    name: str = "r", status: str = "RUNNING", step: int | None = None, start: int = 0, **tags: str
) -> StoredRun:
    info = RunInfo(
        run_id=name,
        experiment_id="1",
        user_id="",
        status=status,
        start_time=start,
        end_time=None,
        lifecycle_stage="active",
        artifact_uri=f"file:///{name}",
    )
    metrics = [] if step is None else [Metric("fid", 1.0, 0, step), Metric("recall", 0.5, 0, step - 1)]
    pairs = [RunTag(f"tradeoff.{key}", value) for key, value in tags.items()]
    return stored(Run(info, RunData(metrics, [Param("seed", "3")], pairs)))


def test_a_run_is_remembered_as_the_store_has_it() -> None:
    marks = {PLAIN: "a", OBRS2: "b"}
    found = remember(run(status="FAILED", step=7, reason="why", readings=encode_readings(marks), sweep="x"))
    assert (found.run_id, found.status, found.last_step) == ("r", "failed", 7)
    assert (found.params, found.noted, found.metrics) == (
        {"seed"},
        {"tradeoff.reason"},
        {"fid": 1.0, "recall": 0.5},
    )
    assert (found.marks, found.artifact_uri) == (marks, "file:///r")
    assert remember(run(stopped="{}")).noted == {"tradeoff.stopped"}
    assert remember(run()).last_step is None


@pytest.mark.parametrize(
    ("status", "ours"),
    [
        ("FINISHED", "finished"),
        ("FAILED", "failed"),
        ("KILLED", "killed"),
        ("RUNNING", "running"),
        ("SCHEDULED", "running"),
    ],
)
def test_statuses_are_mlflows(status: str, ours: str) -> None:
    assert run(status=status).status == ours


def test_a_run_of_others_has_text_and_numbers_where_they_belong() -> None:
    odd: Any = "abc"
    blob: Any = b"\xffA"
    none: Any = None
    info = RunInfo("r", "1", "", blob, odd, odd, "active", blob)
    metrics = [Metric("fid", odd, 0, 9), Metric("recall", 0.5, 0, odd), Metric("precision", 0.25, odd, 4)]
    read = stored(Run(info, RunData(metrics, [Param("a", blob)], [RunTag(blob, blob), RunTag("x", none)])))
    assert (read.status, read.started, read.ended, read.artifact_uri) == ("running", 0, 0, "�A")
    assert (read.tags, read.params) == ({"�A": "�A"}, {"a": "�A"})
    assert (read.metrics, read.last_step) == ({"recall": 0.5, "precision": 0.25}, 9)
    assert read.faults == ("its fid is no number",)
    assert most_complete([read, run("whole", step=10)])[0].run_id == "whole"


def test_the_most_complete_twin_comes_first() -> None:
    twins = [
        run("young", step=9, start=2),
        run("old", step=9, start=1),
        run("bare", start=0),
        run("first", step=0, start=5),
        run("done", "FINISHED", step=3, start=9),
    ]
    assert [r.run_id for r in most_complete(twins)] == ["done", "old", "young", "first", "bare"]


def remembered(marks: dict[At, str]) -> Remembered:
    metrics = {"precision": 0.5, "critic_loss": 0.1, "obrs/2/precision": 0.6, "obrs/4/precision": 0.7}
    return Remembered("r", "", "finished", 8, metrics=metrics, marks=marks)


def test_readings_of_the_same_evaluation_stay_beside_new_ones() -> None:
    kept, stale = remembered({PLAIN: "a", OBRS2: "b", OBRS4: "b"}).merged({PLAIN: "a", HALVING: "c"})
    assert kept == {PLAIN: "a", OBRS2: "b", OBRS4: "b", HALVING: "c"}
    assert stale == set()


def test_a_reading_that_is_made_in_another_way_leaves_nothing_behind() -> None:
    marks = {PLAIN: "a", OBRS2: "b", OBRS4: "b"}
    assert remembered(marks).merged({**marks, OBRS2: "B"}) == ({**marks, OBRS2: "B"}, {"obrs/2/precision"})
    assert remembered(marks).merged(marks) == (marks, set())


def test_readings_of_another_evaluation_go() -> None:
    kept, stale = remembered({PLAIN: "a", OBRS2: "b", OBRS4: "b"}).merged({PLAIN: "A", OBRS2: "B"})
    assert kept == {PLAIN: "A", OBRS2: "B"}
    assert "obrs/4/precision" in stale
    assert "critic_loss" not in stale, "training is not repeated"


def test_without_new_marks_nothing_changes() -> None:
    marks = {PLAIN: "a", OBRS2: "b"}
    assert remembered(marks).merged({}) == (marks, set())
