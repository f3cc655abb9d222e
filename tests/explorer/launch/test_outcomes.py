"""How trials end: a stop is written into a tag and read back, and nothing else is taken for one."""

from __future__ import annotations

import pytest

from explorer.launch.outcomes import Settled, Stop


def test_a_stop_is_read_back_from_its_tag() -> None:
    stop = Stop(iteration=40, by="a1b2", reason="recall stands still: “λ”")
    assert Stop.parse(stop.text()) == stop


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "stopped",
        "[]",
        "3",
        '{"iteration": 4, "by": "x"}',
        '{"iteration": "soon", "by": "x", "reason": "y"}',
        '{"iteration": Infinity, "by": "x", "reason": "y"}',
    ],
)
def test_anything_else_is_no_stop(text: str | None) -> None:
    assert Stop.parse(text) is None


def test_a_settled_trial_needs_no_reason() -> None:
    assert Settled({"fid": 1.0}).reason is None
