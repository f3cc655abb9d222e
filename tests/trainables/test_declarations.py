"""Values and exceptions of others are written whatever they do, and blamed only for their own faults."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from trainables.datasets.gaussians8 import Gaussians8
from trainables.declarations import are_counts, blamed, misfit, reason, written
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


@pytest.mark.parametrize("error", [SystemExit(0), SystemExit("bye"), KeyError("x")])
def test_code_that_ends_the_program_is_blamed_too(error: BaseException) -> None:
    with (
        pytest.raises(ValueError, match=f"it must do, but it raised {type(error).__name__}"),
        blamed("it must do"),
    ):
        raise error


@pytest.mark.parametrize(
    "default", [1j, b"x", {1}, frozenset(), Decimal(1), date(2020, 1, 1), (1, b"x"), object()]
)
def test_fields_that_no_name_can_hold_are_refused(default: Any) -> None:
    told = misfit("a", type(default), lambda: default)
    assert told is not None
    assert told.startswith("must give its field 'a' a number, text, truth value, path or tuple, got ")


@pytest.mark.parametrize(
    "default", [None, 1, 2.5, "x", True, Path("x"), (1, (2, "x")), [1], {"a": (1,)}, Gaussians8()]
)
def test_fields_of_plain_values_pass(default: Any) -> None:
    assert misfit("a", Any, lambda: default) is None
