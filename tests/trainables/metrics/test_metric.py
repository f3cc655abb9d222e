"""Entries say what a number is, and only what is not the default is written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from trainables.metrics import METRICS, Entry, Metric, Scores


def test_plain_entries_leave_defaults_out() -> None:
    assert Entry("a", "A", "Of a.").plain() == {"key": "a", "title": "A", "sentence": "Of a."}
    full = Entry("a", "A", "Of a.", "max", 1, 2, "s", True).plain()
    assert full == {
        "key": "a",
        "title": "A",
        "sentence": "Of a.",
        "direction": "max",
        "low": 1,
        "high": 2,
        "unit": "s",
        "diagnostic": True,
    }


def test_scores_may_have_values_alone() -> None:
    scores = Scores({"a": 1.0})
    assert (dict(scores.intervals), dict(scores.curves), scores.left_out) == ({}, {}, None)


def test_a_metric_must_measure_and_looks_at_no_balls_unless_it_says_so() -> None:
    @dataclass(frozen=True)
    class Idle(Metric):
        name: ClassVar[str] = "idle"
        entries: ClassVar[tuple[Entry, ...]] = ()

    assert Idle.everyday is None
    assert Idle.needs == frozenset()
    with pytest.raises(ValueError, match=r"Idle must define measure$"):
        METRICS.add(Idle)


def test_a_bound_of_zero_is_written_down() -> None:
    assert Entry("a", "A", "Of a.", low=0).plain()["low"] == 0
