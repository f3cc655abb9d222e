"""Of twins the most complete is shown, and what could not be read is told of those that are shown."""

from __future__ import annotations

from dataclasses import replace

from explorer.results.known import Known, gathered, known_of
from explorer.results.table import Trial
from explorer.store.runs import StoredRun, most_complete

RUN = StoredRun(
    "r",
    "1",
    "running",
    5,
    0,
    "file:///a",
    {"tradeoff.trial": "a", "tradeoff.kind": "trial"},
    {},
    {"fid": 1.0},
    3,
)


def test_a_run_is_known_as_its_trial() -> None:
    one = known_of(RUN, "print")
    assert (one.trial.id, one.trial.metrics, one.step, one.told) == ("a", {"fid": 1.0}, 3, "print")


def test_twins_are_ordered_as_the_writer_does() -> None:
    runs = [
        replace(RUN, run_id="late", last_step=9),
        replace(RUN, run_id="none", last_step=None),
        replace(RUN, run_id="done", status="finished", last_step=1, started=9),
        replace(RUN, run_id="old", status="finished", last_step=1, started=2),
    ]
    kept = most_complete(runs)[0]
    assert kept.run_id == "old"
    trials, faults = gathered([known_of(run) for run in runs])
    assert [trial.run_id for trial in trials] == ["old"]
    assert faults == []


def test_runs_without_identity_and_faults_are_told() -> None:
    nobody = Known(Trial("", "x", "running", {}, {}), None, "")
    faulty = known_of(replace(RUN, run_id="y", faults=("its fid is no number",)))
    trials, faults = gathered([nobody, faulty])
    assert [trial.run_id for trial in trials] == ["y"]
    assert faults == ["run x, which has no tag tradeoff.trial", "run y (its fid is no number)"]
