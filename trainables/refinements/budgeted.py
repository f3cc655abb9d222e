"""Refinements that are asked for by a budget K: what one sample may cost, in draws that are scored."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import ClassVar

from trainables.family import at_most, require
from trainables.refinements.draws import Proposals
from trainables.refinements.refinement import Refined, Refinement

__all__ = ["BUDGETS", "Budgeted", "check_budget"]

MOST_BUDGETS = 100
LARGEST_BUDGET = 10**9
BUDGETS = (1.0, 1.5, 2.0, 4.0)


def check_budget(budget: float, largest: float = LARGEST_BUDGET) -> None:
    """Refuse what is no budget."""
    require(1 <= budget < inf, f"budget K must be ≥ 1, got {budget:g}; use K=1 to accept every sample")
    at_most(largest, **{"budget K": budget})


@dataclass(frozen=True)
class Budgeted(Refinement, ABC):
    """A refinement read at budgets K; at K = 1 it is the model as it is.

    Attributes:
        budgets: budgets K at which trials are read: draws per sample that is kept, or as many calls otherwise.
    """

    largest: ClassVar[float] = LARGEST_BUDGET
    """The largest budget that can be asked for."""
    scored: ClassVar[bool] = True
    """Whether it asks for the ratio of the densities."""
    budgets: tuple[float, ...] = BUDGETS

    def check(self) -> None:
        """Budgets are at least 1."""
        at_most(MOST_BUDGETS, **{"the number of refinement.budgets": len(self.budgets)})
        for budget in self.budgets:
            check_budget(budget, self.largest)

    def asked(self) -> tuple[float, ...]:
        """Each once, ascending; K = 1 is the model as it is."""
        return tuple(sorted({budget for budget in self.budgets if budget > 1}))

    def refine(self, proposals: Proposals, samples: int) -> Iterator[Refined]:
        """The same for one model."""
        return iter(self.refine_all(proposals.stacked(), samples)[0])
