"""Every point of the space."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

from explorer.search.points.source import GridSource
from explorer.search.search import Search, Study

if TYPE_CHECKING:
    from explorer.sweep.space import Point, Space

__all__ = ["Grid"]


@dataclass(frozen=True)
class Grid(Search):
    """Every point, box by box."""

    name: ClassVar[str] = "grid"
    endless: ClassVar[bool] = False

    def probes(self, space: Space) -> Iterator[Point]:
        """All that it will try; where axes combine, values alone first, so that one to be refused is found soon."""
        if self.trials is None and any(len(box) > 1 for box in space.boxes):
            yield from space.alone()
        yield from islice(space.grid(), self.trials)

    def reach(self, space: Space) -> int:
        """The whole grid."""
        return space.size()

    def source(self, space: Space, points: int | None, study: Study | None) -> GridSource:
        """The points in order, the first so many if a number is given."""
        return GridSource(space, points)
