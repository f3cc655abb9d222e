"""Panels that are made when first needed and whose memory serves the next one when they no longer are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock

from torch import Tensor

from trainables.measures.knn.memory import room
from trainables.measures.knn.products import Panel, Points
from trainables.measures.knn.workers import Countdown

__all__ = ["Lent"]


class Lent:
    """The pieces of a set as panels, of which only those in use are held.

    Several threads may use a panel at a time; one of them makes it while the others wait, unless it was made ahead.
    """

    def __init__(self, points: Points, pieces: Sequence[tuple[int, int]], uses: Mapping[int, int]) -> None:
        """``uses``: how often each piece will be used; it is given up after the last time."""
        self._points = points
        self._pieces = pieces
        self._left = Countdown(uses)
        self._made: dict[int, tuple[Panel, Tensor]] = {}
        self._making = [Lock() for _ in pieces]
        self._free: list[Tensor] = []
        self._books = Lock()
        longest = max(stop - start for start, stop in pieces)
        self._size = 0 if points.as_given else longest * points.features.shape[1]

    def make(self, at: int) -> None:
        """Make a piece before somebody has to wait for it."""
        with self._making[at]:
            if at not in self._made:
                memory = self._memory()
                self._made[at] = (self._points.panel(*self._pieces[at], memory), memory)

    @contextmanager
    def panel(self, at: int) -> Iterator[Panel]:
        """One use of a piece."""
        self.make(at)
        yield self._made[at][0]
        if self._left.was_last(at):
            with self._books:
                self._free.append(self._made.pop(at)[1])

    def _memory(self) -> Tensor:
        with self._books:
            if self._free:
                return self._free.pop()
        return room(self._size, self._points.features.device)
