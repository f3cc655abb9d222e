"""What was measured survives in a checkpoint; bytes of others are nothing."""

from __future__ import annotations

import math

import pytest
import torch

from explorer.launch.histories import from_state, to_state
from tests.explorer.launch.small import made_up


def test_numbers_come_back_as_they_were() -> None:
    first, second = made_up(4, False), made_up(8, False)
    first.diagnostics["calibration"] = math.nan
    found = from_state(to_state([first, second]))
    assert [one.iteration for one in found] == [4, 8]
    assert [one.metrics for one in found] == [first.metrics, second.metrics]
    assert found[1].diagnostics == second.diagnostics
    assert math.isnan(found[0].diagnostics["calibration"])
    assert not any(one.final or one.fault for one in found)
    assert from_state(to_state([])) == []


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"[[1, 2, 3]]", b'[["x", {}, {}]]', b"\xff"])
def test_what_is_no_history_is_none(data: bytes) -> None:
    assert from_state(torch.tensor(list(data), dtype=torch.uint8)) == []
