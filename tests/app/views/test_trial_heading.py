"""How a trial stands: by whom it is dominated, and why it ended as it did."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from app.views.trial_heading import _heading_of_reason, dominators
from explorer.goals import parse_goals
from explorer.results.columns import Columns
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN
from explorer.store.stop import Stop

GOALS = parse_goals({"precision": "max", "fid": "min"})


def columns(places: list[tuple[float, float]]) -> Columns:
    trials = tuple(
        Trial(str(i), "r", "finished", {}, {PLAIN: {"precision": p, "fid": f}})
        for i, (p, f) in enumerate(places)
    )
    return Columns(TrialTable("s", GOALS, trials))


@given(some.lists(some.tuples(some.integers(0, 4), some.integers(0, 4)), min_size=1, max_size=12))
def test_dominators_are_counted_as_one_by_one(places: list[tuple[int, int]]) -> None:
    held = columns([(float(p), float(f)) for p, f in places])
    for row, (p, f) in enumerate(places):
        count = sum(q >= p and g <= f and (q, g) != (p, f) for q, g in places)
        assert dominators(held, row, PLAIN) == count


def test_a_trial_that_is_not_ranked_is_dominated_by_nobody_that_is_known() -> None:
    running = Trial("a", "r", "running", {}, {PLAIN: {"precision": 0.1, "fid": 1.0}})
    lacking = Trial("b", "r", "finished", {}, {PLAIN: {"precision": 0.1}})
    held = Columns(TrialTable("s", GOALS, (running, lacking)))
    assert dominators(held, 0, PLAIN) is None
    assert dominators(held, 1, PLAIN) is None
    assert np.isnan(held.goals()[1]).any()


@pytest.mark.parametrize(
    ("trial", "words"),
    [
        (Trial("a", "r", "failed", {}, {}, reason="x"), "Why it failed"),
        (Trial("a", "r", "finished", {}, {}, stopped=Stop(3, "x", "y")), "Why it ended early"),
        (Trial("a", "r", "finished", {}, {}, reason="x"), "What was not read"),
        (Trial("a", "r", "killed", {}, {}, reason="x"), "What is known of its end"),
    ],
)
def test_the_reason_has_its_heading(trial: Trial, words: str) -> None:
    assert _heading_of_reason(trial) == words
