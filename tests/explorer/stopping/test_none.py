"""Without a stopper every trial is trained to its end."""

from __future__ import annotations

from explorer.goals import parse_goals
from explorer.stopping import STOPPERS
from explorer.stopping.none import Never
from tests.explorer.stopping.histories import history


def test_nobody_is_ended_however_still_it_stands() -> None:
    standing = history(precision=[0.5] * 100)
    assert Never().stop({"a": standing, "b": standing}, parse_goals({"precision": "max"})) == {}


def test_it_is_the_default() -> None:
    assert STOPPERS.default == Never.name == "none"
    assert Never.keys() == ()
