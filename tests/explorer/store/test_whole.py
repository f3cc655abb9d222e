"""A run as it goes from one store to another."""

from __future__ import annotations

import pytest

from explorer.store.schema import IMPORTED, LEASE, PARENT, SWEEP
from explorer.store.whole import OWN_TAGS, Point, WholeRun


def test_one_that_ran_is_over_at_the_last_time_that_it_tells() -> None:
    run = WholeRun(
        "a", "running", 5, histories={"x": (Point(1, 7, 0.5), Point(2, 9, 0.5)), "y": (Point(1, 8, 0.0),)}
    )
    assert (run.over.status, run.over.ended) == ("killed", 9)
    assert WholeRun("a", "running", 5).over.ended == 5


@pytest.mark.parametrize("status", ["finished", "failed", "killed"])
def test_one_that_is_over_stays_as_it_is(status: str) -> None:
    run = WholeRun("a", status, 5, 6)  # type: ignore[arg-type]
    assert run.over is run


def test_tags_of_a_place_do_not_travel() -> None:
    assert {LEASE, PARENT, IMPORTED, SWEEP} == OWN_TAGS
