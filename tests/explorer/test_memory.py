"""What this machine says of its memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.memory import available


def test_the_free_memory_of_this_machine() -> None:
    assert 1 << 26 < available() < 1 << 50


def test_a_machine_that_tells_only_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(self: Path, *how: object, **more: object) -> str:
        raise OSError

    told = available()
    monkeypatch.setattr(Path, "read_text", nothing)
    assert available() >= told
