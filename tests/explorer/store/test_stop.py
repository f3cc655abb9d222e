"""A stop is written into a tag and read back, and nothing else is taken for one."""

from __future__ import annotations

import pytest

from explorer.store.stop import Stop


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


def test_a_stop_is_told_with_its_cause_and_its_iteration() -> None:
    stop = Stop(iteration=4000, by="a1b2", reason="starved: λ r̂ < 1 on 0.00% of the samples")
    assert stop.kind == "starved"
    assert stop.words() == "stopped at iteration 4,000: starved: λ r̂ < 1 on 0.00% of the samples"
    assert Stop(1, "a", "no goal improved").kind == "no goal improved"


def test_what_cannot_be_printed_is_not_kept() -> None:
    found = Stop.parse(Stop(1, "a", "red \x1b[31m").text())
    assert found is not None
    assert found.reason.isprintable()
