"""Optimal budgeted rejection sampling (Vérine 2024, 6.2): one draw in K is kept, the best one can choose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import ClassVar

from trainables.evaluation.reading import Cost
from trainables.family import at_most, require
from trainables.refinements.refinement import Proposals, Refined, Refinement

__all__ = ["Obrs"]

MOST_BUDGETS = 100
LARGEST_BUDGET = 10**9
SHOWN = 64
"""Refused draws that are told, for pictures."""


@dataclass(frozen=True)
class Obrs(Refinement):
    """Optimal budgeted rejection sampling: one sample in K is kept.

    A draw x is kept with probability min(c_K r(x), 1), c_K such that this is one in K on average.

    Attributes:
        budgets: budgets K at which trials are read: draws per sample that is kept.
    """

    name: ClassVar[str] = "obrs"
    version: ClassVar[int] = 2  # 1: ratios calibrated with a prior that hung on the critic's scale
    budgets: tuple[float, ...] = (1.0, 1.5, 2.0, 4.0)

    def check(self) -> None:
        """Budgets are at least 1."""
        at_most(MOST_BUDGETS, **{"the number of refinement.budgets": len(self.budgets)})
        for budget in self.budgets:
            require(
                1 <= budget < inf, f"budget K must be ≥ 1, got {budget:g}; use K=1 to accept every sample"
            )
            at_most(LARGEST_BUDGET, **{"budget K": budget})

    def asked(self) -> tuple[float, ...]:
        """Each once, ascending; K = 1 is the model as it is."""
        return tuple(sorted({budget for budget in self.budgets if budget > 1}))

    def proposals(self, samples: int) -> int:
        """Enough that the largest K leaves ``samples`` but for a six-sigma accident."""
        return max((_enough(samples, budget) for budget in self.asked()), default=samples)

    def refine(self, proposals: Proposals, samples: int) -> Iterator[Refined]:
        """Every K from one pool: keep where u ≤ min(c_K r, 1)."""
        alone = Proposals(proposals.points[None], proposals.log_ratio[None], proposals.uniform[None])
        return iter(self.refine_all(alone, samples)[0])

    def refine_all(self, proposals: Proposals, samples: int) -> list[list[Refined]]:
        """The same for T models at once; O(T · M log M) for every K."""
        import torch

        from trainables.rejection.obrs import obrs_acceptance

        found: list[list[Refined]] = [[] for _ in proposals.points]
        for budget in self.asked():
            size = _enough(samples, budget)
            log_ratio, drawn = proposals.log_ratio[:, :size], proposals.points[:, :size]
            keep = proposals.uniform[:, :size] <= obrs_acceptance(log_ratio, budget)
            taken = keep.cumsum(1)
            rows, places = (keep & (taken <= samples)).nonzero(as_tuple=True)  # row by row, each in its order
            counts = taken[:, -1].tolist()
            given = [min(count, samples) for count in counts]
            worst = torch.where(keep, inf, log_ratio).topk(min(SHOWN, size), largest=False).indices
            parts = zip(drawn[rows, places].split(given), places.split(given), strict=True)
            for row, (own, (kept, at), count) in enumerate(zip(found, parts, counts, strict=True)):
                each = size / count if count else inf
                refused = drawn[row, worst[row, : size - count]]
                own.append(Refined(budget, kept, Cost(draws=each, scores=each), count / size, at, refused))
        return found


def _enough(samples: int, budget: float) -> int:
    return int(budget * (samples + 6 * samples**0.5)) + 1
