"""Every point of the space."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, ClassVar

from explorer.search.points.source import GridSource
from explorer.search.search import Search, Study

if TYPE_CHECKING:
    from explorer.sweep.axes import Point
    from explorer.sweep.space import Space

__all__ = ["Grid"]

FEW = 1000
"""Points that are looked at one by one before a grid is walked."""


@dataclass(frozen=True)
class Grid(Search):
    """Every point, box by box."""

    name: ClassVar[str] = "grid"
    endless: ClassVar[bool] = False

    def probes(self, space: Space) -> Iterator[Point]:
        """Of what it will try every value and every two together; values alone first: one to be refused is found soon.

        Few points are looked at one by one, since three values may not go together either.
        """
        if self.trials is None and any(len(box) > 1 for box in space.boxes):
            yield from space.alone()
        tried = islice(space.grid(), self.trials)
        first = list(islice(tried, FEW + 1))
        yield from first if len(first) <= FEW else space.covering(chain(first, tried))

    def reach(self, space: Space) -> int:
        """The whole grid."""
        return space.size()

    def source(self, space: Space, points: int | None, study: Study) -> GridSource:
        """The points in order, the first so many if a number is given."""
        return GridSource(space, points)
