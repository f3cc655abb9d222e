"""A clock counts what it is told, and forgets what was taken."""

from __future__ import annotations

import pytest

from explorer.launch.clock import Clock


def test_seconds_are_kept_by_what_they_were_spent_on(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([0.0, 2.0, 10.0, 10.5, 20.0, 20.25])
    monkeypatch.setattr("explorer.launch.clock.time.monotonic", lambda: next(now))
    clock = Clock()
    with clock.on("training"):
        pass
    with clock.on("reading"):
        pass
    with pytest.raises(KeyError), clock.on("reading"):
        raise KeyError
    assert clock.taken() == {"training": 2.0, "reading": 0.75}
    assert clock.taken() == {}
    clock.add({"training": 1.04})
    clock.add({"training": 1.0})
    assert clock.rounded() == {"training": 2.0}
