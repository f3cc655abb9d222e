"""A refinement of a user's own that cannot be streamed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from trainables.refinements import Proposals, Refined
from trainables.refinements.budgeted import Budgeted

__all__ = ["Halved"]


@dataclass(frozen=True)
class Halved(Budgeted):
    """It has budgets, and asks for all draws at once."""

    name: ClassVar[str] = "halved"

    def proposals(self, samples: int) -> int:
        """Two for one."""
        return 2 * samples

    def refine_all(self, proposals: Proposals, samples: int) -> list[list[Refined]]:
        """Nothing: it is never asked."""
        return [[] for _ in proposals.points]
