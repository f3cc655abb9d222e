"""Independent draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from explorer.search.search import Search, Study

if TYPE_CHECKING:
    from explorer.search.points.suggested import SuggestedSource
    from explorer.sweep.space import Space

__all__ = ["Random"]


@dataclass(frozen=True)
class Random(Search):
    """Points drawn independently; equal seeds draw equal points.

    Attributes:
        seed: which points are drawn; equal seeds draw equal points.
    """

    name: ClassVar[str] = "random"
    seed: int = 0

    def source(self, space: Space, points: int | None, study: Study) -> SuggestedSource:
        """So many draws that differ."""
        from explorer.search.points.draws import RandomDraws
        from explorer.search.points.suggested import SuggestedSource

        return SuggestedSource(space, RandomDraws(space, self.seed), points or 0, self.seed, study)
