"""A user's error is one sentence on the command line, without a traceback, and exit code 2."""

from __future__ import annotations

import subprocess
import sys

from explorer.errors import UserError


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
