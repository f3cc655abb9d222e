"""Commands run as a shell does, but for the process: what they print where, and the code they end with."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple
from unittest.mock import patch

import pytest

from explorer.cli import main

__all__ = ["Ran", "ran", "refusal"]


class Ran(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


def ran(*arguments: object) -> Ran:
    """``tradeoff`` with these arguments."""
    out, err = io.StringIO(), io.StringIO()
    words = ["tradeoff", *map(str, arguments)]
    argv, printed = patch.object(sys, "argv", words), redirect_stdout(out)
    with argv, printed, redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main()
    assert isinstance(ended.value.code, int)
    return Ran(ended.value.code, out.getvalue(), err.getvalue())


def refusal(*arguments: object) -> str:
    """The one sentence with which a command refuses them."""
    code, out, err = ran(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert err.startswith("tradeoff: ")
    return err.removeprefix("tradeoff: ").removesuffix("\n")
