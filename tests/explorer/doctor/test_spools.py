"""The doctor tells of results that wait for a store."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.doctor.finding import Subject
from explorer.doctor.spools import check_spools
from explorer.tracking import Owner, Spool
from explorer.tracking.entries import Entry, Finish


def test_results_that_wait_are_named_with_their_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    subject = Subject("sqlite:///x")
    (nothing,) = check_spools(subject)
    assert (nothing.state, nothing.sentence) == ("ok", "no result waits for a tracking store")
    owner = Owner("demo", "http://far:5000", "tests")
    for name, whose in (("ring-two-0123abcd", None), ("demo-4567cdef", owner)):
        spool = Spool(tmp_path / "spool" / name, whose)
        spool.put([Entry("a", 1, Finish())] * 2)
        spool.close()
    found = list(check_spools(subject))
    assert [one.state for one in found] == ["note", "note"]
    assert found[0].sentence == (
        "2 results of sweep 'demo' wait for tracking store http://far:5000 (experiment 'tests'), "
        "which did not take them"
    )
    (one,) = check_spools(Subject("sqlite:///x", sweep="ring-two"))
    assert "ring-two" in one.sentence
