"""Values and exceptions of others are written whatever they do, and blamed only for their own faults."""

from __future__ import annotations

from typing import Any

import pytest

from trainables.declarations import are_counts, blamed, reason, written
from trainables.family import UnknownMember


class Mute(Exception):
    def __str__(self) -> Any:
        return 5


def test_refusals_pass_and_only_the_members_own_faults_are_blamed() -> None:
    with pytest.raises(UnknownMember), blamed("it must do"):
        raise UnknownMember("gadget", "a", ["b"])
    with pytest.raises(KeyboardInterrupt), blamed("it must do"):
        raise KeyboardInterrupt


def test_values_and_exceptions_are_written_whatever_they_do() -> None:
    assert written((2,)) == "(2,)"
    assert written("a" * 99) == f"'{'a' * 58}…"
    assert written(10**5000) == "a value of int that cannot be written"
    assert reason(ValueError("one\ntwo")) == "ValueError: one"
    assert reason(ValueError()) == "ValueError"
    assert reason(Mute()) == "Mute"


def test_counts_are_whole_numbers_in_a_row() -> None:
    assert are_counts((1, 2), 1)
    assert are_counts([0])
    assert are_counts(())
    odd: list[Any] = [3, None, (0,), (1.0,), (True,), ("1",), {1: 2}]
    assert not any(are_counts(value, 1) for value in odd)
