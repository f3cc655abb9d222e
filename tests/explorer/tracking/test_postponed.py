"""What is put off waits for its time, and is told once."""

from __future__ import annotations

import pytest

import explorer.tracking.postponed as module
from explorer.tracking.postponed import Postponed


def test_results_hold_their_trial_and_files_do_not() -> None:
    put_off = Postponed(lambda told: None)
    put_off.failed("a", [1, 2], OSError("away"), "artifacts")
    put_off.failed("b", [3], OSError("no"), "results")
    assert put_off.trials == {1: "a", 2: "a", 3: "b"}
    assert put_off.held == {"b"}
    assert (put_off.has_files_of("a"), put_off.has_files_of("c")) == (True, False)
    assert put_off.trouble == "results cannot be stored (no)"
    put_off.stored("a", "artifacts")
    assert not put_off.has_failed("artifacts")


def test_it_is_told_of_the_first_alone_once_it_fails_again() -> None:
    told: list[str] = []
    put_off = Postponed(told.append)
    for _ in range(3):
        for trial in "ab":
            put_off.failed(trial, [1], OSError("away"), "artifacts")
    assert told == ["artifacts of trial a cannot be stored (away); tried again later"]


def test_all_is_taken_up_when_its_time_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = {"now": 100.0}
    monkeypatch.setattr(module.time, "monotonic", lambda: clock["now"])
    put_off = Postponed(lambda told: None)
    put_off.failed("a", [1], OSError("away"), "results")
    clock["now"] += 30
    put_off.failed("b", [2], OSError("away"), "results")
    put_off.take_up()
    assert set(put_off.trials) == {1, 2}
    clock["now"] += 31
    put_off.take_up()
    assert (put_off.trials, put_off.held) == ({}, set())
    put_off.add("a", [1])
    put_off.take_up(0.0)
    assert put_off.trials == {}
