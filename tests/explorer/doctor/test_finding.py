"""Findings as plain values, and sizes in words."""

import json

from explorer.doctor.finding import Finding, size_words


def test_a_finding_says_whether_it_can_be_repaired() -> None:
    told = Finding("x", "note", "is so", "do that", lambda: "done").document()
    assert json.loads(json.dumps(told)) == told
    assert told["repairable"] is True
    assert Finding("x", "ok", "fine").document()["repairable"] is False


def test_sizes_are_short() -> None:
    assert [size_words(n) for n in (0, 999, 1500, 2.5e6, 7e9, 3e12)] == [
        "0 bytes", "999 bytes", "1.5 kB", "2.5 MB", "7 GB", "3 TB",
    ]  # fmt: skip
