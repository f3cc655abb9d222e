"""A user's error is one sentence on the command line, without a traceback, and exit code 2."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from explorer.errors import LONGEST_SENTENCE, UserError, brief, root_cause, shown, telling


def test_a_mistake_on_the_command_line_is_one_sentence() -> None:
    command = [sys.executable, "-m", "explorer", "reproduce", "thesis4.1"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr == "tradeoff: no figure is called 'thesis4.1'; did you mean 'thesis-4.1'?\n"
    assert ended.stdout == ""


def test_it_is_told_from_the_errors_of_a_program() -> None:
    """A bug that raises ValueError or OSError must not pass for the user's mistake."""
    assert UserError.__mro__[1] is Exception
    assert str(UserError("one sentence")) == "one sentence"


def test_whatever_the_input_holds_it_is_one_printable_line() -> None:
    hostile = "a\nb\tc\x1b[31m\x00\ud800\u202e"
    assert str(UserError(hostile)) == r"a b c\x1b[31m\x00\ud800\u202e"
    assert shown("a\nb") == r"'a\nb'"


@pytest.mark.parametrize(
    "address",
    [
        "http://bob:PW@host/x", "postgresql:///bob:PW@host", "//bob:PW@host/x", "bob:PW@host:5000", "http:bob:PW@host",
        "optuna:bob:PW@host", "optuna:mysql://bob:PW@host", "https://host/x?token=PW", "http://host/?a=1&api_key=PW#x",
    ],
)  # fmt: skip
@pytest.mark.parametrize("words", ["there is no file '{}'; name one", "{} is away", "no answer (at {})"])
def test_no_sentence_has_the_password_of_an_address_however_it_was_mistyped(address: str, words: str) -> None:
    told = str(UserError(words.format(address)))
    assert "PW" not in told
    assert "host" in told


@pytest.mark.parametrize(
    "path",
    [
        "/data/12:30@lab/x.csv", "runs/a:b@c.csv", "sqlite:////a:b@c/x.db", "optuna:sqlite:////a:b@c/x.db",
        "http://host:5000/a@b", "host:5000/a@b", "optuna:/home/me@lab/x.db",
    ],
)  # fmt: skip
def test_paths_are_told_whole(path: str) -> None:
    assert str(UserError(f"there is no '{path}'; name another")) == f"there is no '{path}'; name another"


def test_long_sentences_are_cut_in_the_middle_so_that_the_remedy_stays() -> None:
    told = str(UserError(f"λ must be one number, got {'9' * 1_000_000}; use 1"))
    assert len(told) <= LONGEST_SENTENCE
    assert told.startswith("λ must be one number, got 999")
    assert " … 999" in told
    assert told.endswith("; use 1")
    assert str(UserError("x" * LONGEST_SENTENCE)) == "x" * LONGEST_SENTENCE


def test_long_values_are_cut_to_the_room_there_is() -> None:
    assert shown([1, 2]) == "[1, 2]"
    assert len(shown(list(range(1000)))) <= 60
    assert shown(list(range(1000))).endswith("998, 999]")
    assert brief("λ" * 100, 10) == "λλλλλ … λλ"


def test_of_a_chain_of_errors_the_first_cause_is_told() -> None:
    error = ValueError("while storing")
    error.__cause__ = OSError(28, "No space left on device", "/a/long/path")
    assert root_cause(error) == "No space left on device"
    assert root_cause(ValueError()) == "ValueError"


class Unwritable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


def deep() -> list[Any]:
    """A list nested deeper than Python writes."""
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.parametrize("make", [lambda: 10**5000, lambda: [10**5000], Unwritable, deep])
def test_what_cannot_be_written_is_shown_by_its_kind(make: Callable[[], Any]) -> None:
    value = make()
    assert shown(value) == f"a value of {type(value).__name__} that cannot be written"


def test_what_is_raised_is_told_once() -> None:
    with (
        pytest.raises(UserError, match="it must hold, but 'x'") as refusal,
        telling(lambda e: f"it must hold, but {e}"),
    ):
        raise KeyError("x")
    assert isinstance(refusal.value.__cause__, KeyError)
    for kept in (UserError("said"), KeyboardInterrupt()):
        with pytest.raises(type(kept)) as passed, telling(lambda e: "never said"):
            raise kept
        assert passed.value is kept
