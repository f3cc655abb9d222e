"""Words for people."""

from __future__ import annotations

import pytest

from explorer.words import counted


@pytest.mark.parametrize(("count", "text"), [(0, "0 trials"), (1, "1 trial"), (2, "2 trials")])
def test_one_is_not_many(count: int, text: str) -> None:
    assert counted(count, "trial") == text
