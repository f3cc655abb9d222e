"""Times that only grow, whatever the clock says."""

from __future__ import annotations

import time

from explorer.tracking.stamps import Stamps


def test_times_are_those_of_the_clock_unless_it_is_late() -> None:
    stamps = Stamps()
    before = time.time_ns() // 1_000_000
    first = stamps.next()
    assert before <= first <= time.time_ns() // 1_000_000
    later = first + 3_600_000
    stamps.saw(first, later)
    assert [stamps.next(), stamps.next()] == [later + 1, later + 2]
    stamps.saw(5)
    assert stamps.next() == later + 3
