"""A fault is told in one line, and what would come again is told from what may pass."""

from __future__ import annotations

import pytest

from explorer.errors import UserError
from explorer.launch.faults import is_lasting, reason_of


class _Wrapped(Exception):
    def __init__(self, cause: Exception) -> None:
        super().__init__("a wrapper\nwith a trace")
        self.cause = cause


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (None, "its pack died without a word; see Ray's logs"),
        (ValueError(""), "ValueError: "),
        (OSError("x" * 900), "OSError: " + "x" * 491),
        (RuntimeError("first\nlast\n\n"), "RuntimeError: last"),
        (_Wrapped(KeyError("inside")), "KeyError: 'inside'"),
    ],
)
def test_a_reason_is_one_line(error: Exception | None, reason: str) -> None:
    assert reason_of(error) == reason


@pytest.mark.parametrize(
    ("error", "lasting"),
    [
        (ValueError("wrong"), True),
        (UserError("wrong"), True),
        (KeyError("layout"), True),
        (ZeroDivisionError(), True),
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied"), True),
        (RuntimeError("CUDA error: an illegal access"), False),
        (RuntimeError("not enough memory"), False),
        (MemoryError(), False),
        (OSError("no space left"), False),
    ],
)
def test_wrong_values_come_again_and_memory_files_and_devices_may_pass(
    error: Exception, lasting: bool
) -> None:
    assert is_lasting(error) is lasting
