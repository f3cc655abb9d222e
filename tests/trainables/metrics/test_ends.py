"""Intervals as numbers: two entries beside each, two values where there is an interval."""

from __future__ import annotations

from trainables.metrics.ends import ends_of, with_ends
from trainables.metrics.metric import Entry, Scores


def test_both_ends_are_diagnostics_within_the_bounds_of_their_number() -> None:
    low, high = ends_of(Entry("prd.f8", "PRD F8", "A sentence.", "max", 0, 1))
    assert (low.key, high.key) == ("prd.f8.low", "prd.f8.high")
    assert low.title == "PRD F8, lower end"
    assert all(end.diagnostic and (end.low, end.high) == (0, 1) for end in (low, high))


def test_numbers_without_an_interval_stay_alone() -> None:
    found = with_ends(Scores({"fid": 2.0, "recall": 0.5}, {"recall": (0.4, 0.6)}))
    assert found == {"fid": 2.0, "recall": 0.5, "recall.low": 0.4, "recall.high": 0.6}
