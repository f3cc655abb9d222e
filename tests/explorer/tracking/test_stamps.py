"""Times that only grow, whatever the clock says."""

from __future__ import annotations

from explorer.tracking.stamps import Stamps


def test_times_are_those_that_are_told_unless_a_newer_one_is_there() -> None:
    stamps = Stamps()
    assert [stamps.at(1000), stamps.at(1000), stamps.at(1500), stamps.at(400)] == [1000, 1001, 1500, 1501]
    stamps.saw(5, 9000)
    assert [stamps.at(2000), stamps.at(9500)] == [9001, 9500]
    stamps.saw(5)
    assert stamps.at(9600) == 9600
