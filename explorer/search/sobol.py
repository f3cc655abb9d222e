"""A scrambled Sobol sequence (Sobol' 1967, Owen 1998), by SciPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from explorer.search.search import Search, Study

if TYPE_CHECKING:
    from explorer.search.points.suggested import SuggestedSource
    from explorer.sweep.space import Space

__all__ = ["Sobol"]


@dataclass(frozen=True)
class Sobol(Search):
    """Points that fill the space evenly, however many; equal seeds give equal points.

    Attributes:
        seed: which of the sequences is taken; equal seeds give equal points.
    """

    name: ClassVar[str] = "sobol"
    seed: int = 0

    def source(self, space: Space, points: int | None, study: Study) -> SuggestedSource:
        """So many draws that differ."""
        from explorer.search.points.draws import SobolDraws
        from explorer.search.points.suggested import SuggestedSource

        return SuggestedSource(space, SobolDraws(space, self.seed), points or 0, self.seed, study)
