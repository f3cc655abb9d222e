"""Where the seconds go: what is done, and for how long."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

__all__ = ["Clock"]


class Clock:
    """Seconds by what they were spent on."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    @contextmanager
    def on(self, what: str) -> Iterator[None]:
        """The block is spent on something, also if it raises."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.add({what: time.monotonic() - began})

    def add(self, spent: Mapping[str, float]) -> None:
        """What others have spent."""
        for what, seconds in spent.items():
            self.spent[what] = self.spent.get(what, 0.0) + seconds

    def taken(self) -> dict[str, float]:
        """What was spent since the last call."""
        spent, self.spent = self.spent, {}
        return spent

    def rounded(self) -> dict[str, float]:
        """In tenths of a second, for people."""
        return {what: round(seconds, 1) for what, seconds in sorted(self.spent.items())}
