"""Rows are computed together, and a fault is found to be that of one row."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from trainables.evaluation.apart import apart


@given(count=st.integers(0, 60), bad=st.sets(st.integers(0, 59), max_size=5))
def test_only_rows_at_fault_have_one(count: int, bad: set[int]) -> None:
    calls = 0

    def compute(rows: Sequence[int]) -> list[int]:
        nonlocal calls
        calls += 1
        for row in rows:
            if row in bad:
                raise ValueError(f"row {row}")
        return [10 * row for row in rows]

    found = apart(range(count), compute)
    assert [str(f) if isinstance(f, Exception) else f for f in found] == [
        f"row {row}" if row in bad else 10 * row for row in range(count)
    ]
    faults = len(bad & set(range(count)))
    assert calls <= 1 + 2 * faults * 6, "halves, not one by one"


def test_a_fault_of_the_device_is_raised() -> None:
    def compute(rows: Sequence[int]) -> list[int]:
        raise torch.AcceleratorError("illegal access")

    with pytest.raises(torch.AcceleratorError):
        apart(range(4), compute)


def test_an_interrupt_is_no_fault_of_a_row() -> None:
    def compute(rows: Sequence[int]) -> list[int]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        apart(range(4), compute)
