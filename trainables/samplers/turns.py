"""Several callers of one sampler: each works a little at a time, in the order in which they came, as long as it may."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Condition
from time import monotonic

__all__ = ["OutOfTime", "Turn", "Turns"]

Turn = Callable[[], AbstractContextManager[None]]
"""Entered around every small part of a work."""


class OutOfTime(Exception):
    """A caller's time is over; ``kept`` is how many samples it had by then."""

    def __init__(self, kept: int = 0) -> None:
        super().__init__(f"time is over with {kept} samples")
        self.kept = kept


class Turns:
    """One works at a time. Who has done a part goes to the end of the queue, so that short works pass long ones.

    A plain lock would not do: whoever lets go of it and asks again at once gets it, whoever waits.
    """

    def __init__(self) -> None:
        self._queue: deque[object] = deque()
        self._moved = Condition()

    @contextmanager
    def turn(self, until: float) -> Iterator[None]:
        """Wait for a turn and have it; ``OutOfTime`` once ``monotonic()`` is past ``until``."""
        own = object()
        with self._moved:
            self._queue.append(own)
        try:
            with self._moved:
                came = self._moved.wait_for(lambda: self._queue[0] is own, until - monotonic())
            if not came or monotonic() > until:
                raise OutOfTime
            yield
        finally:
            with self._moved:
                self._queue.remove(own)
                self._moved.notify_all()
