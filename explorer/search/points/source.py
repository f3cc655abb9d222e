"""What a search is to the launcher: a source of numbered points that hears how they did."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from explorer.sweep.axes import Point
from explorer.sweep.space import Space

__all__ = ["Asked", "Chosen", "GridSource", "ListedSource", "PointSource"]


@dataclass(frozen=True)
class Asked:
    """A point under its number in the search; numbers survive a restart."""

    number: int
    point: Point


Chosen = list[Asked]


class PointSource(ABC):
    """Hands out points, ``total`` of them at most, until it is over.

    A source that learns may wait for answers: it gives fewer points than it is asked for, or none, and more later.
    """

    total: int

    @property
    @abstractmethod
    def over(self) -> bool:
        """Nothing more will come, whatever it is told."""

    @property
    def note(self) -> str:
        """Why it ended before ``total`` points, as a sentence; empty where it did not."""
        return ""

    @property
    def numbered(self) -> int:
        """How many numbers were used so far, also by points that were not handed out; it matters where some wait."""
        return self.total

    @abstractmethod
    def ask(self, count: int) -> Chosen:
        """The next points, at most ``count``; none while it waits for answers, and none when it is over."""

    def tell(self, number: int, repeats: Sequence[Mapping[str, float]]) -> None:  # noqa: B027 - most do not listen
        """Results of a point, one mapping of metrics per seed; empty if all failed. In any order."""


class ListedSource(PointSource):
    """Points known in advance."""

    def __init__(self, points: Sequence[Point]) -> None:
        self._points = [Asked(number, point) for number, point in enumerate(points)]
        self._next = 0
        self.total = len(self._points)

    @property
    def over(self) -> bool:
        """All were handed out."""
        return self._next >= self.total

    def ask(self, count: int) -> Chosen:
        """In order."""
        chosen = self._points[self._next : self._next + count]
        self._next += len(chosen)
        return chosen


class GridSource(ListedSource):
    """Every point of the space, the first ``limit`` of them if given."""

    def __init__(self, space: Space, limit: int | None = None) -> None:
        super().__init__(list(islice(space.grid(), limit)))
