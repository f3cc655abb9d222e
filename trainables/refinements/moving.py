"""Refinements that move draws: as many samples as draws, each made better by calls of the networks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainables.evaluation.reading import Cost
from trainables.refinements.budgeted import Budgeted
from trainables.refinements.draws import Block, Proposals
from trainables.refinements.refinement import Refined

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Moving"]


@dataclass(frozen=True)
class Moving(Budgeted, ABC):
    """Every draw becomes a sample. It may cost as many calls as K draws that are scored: 2K in all, of any kind."""

    @abstractmethod
    def cost(self, budget: float) -> Cost:
        """Calls for one sample at a budget."""

    @abstractmethod
    def constants(self, block: Block) -> Tensor:
        """(T, C) what every move depends on, found on the first block of draws."""

    @abstractmethod
    def moved(self, block: Block, constants: Tensor, budget: float) -> Tensor:
        """(T, m, *shape) the samples that become of the draws of a block."""

    def proposals(self, samples: int) -> int:
        """The samples themselves."""
        return samples

    def refine_all(self, proposals: Proposals, samples: int) -> list[list[Refined]]:
        """Block by block, of every K; nothing is refused. O(T · samples · calls)."""
        import torch

        if proposals.blocks is None:
            raise ValueError(
                f"refinement '{self.name}' moves draws by calling the generator and the critic, and only draws are at "
                "hand; use one that chooses among draws, such as obrs"
            )
        budgets = self.asked()
        parts: list[list[Tensor]] = [[] for _ in budgets]
        constants = None
        for block in proposals.blocks(samples) if budgets else ():
            constants = self.constants(block) if constants is None else constants
            for part, budget in zip(parts, budgets, strict=True):
                part.append(self.moved(block, constants, budget))
        points = [torch.cat(part, dim=1)[:, :samples] for part in parts]
        places = torch.arange(samples, device=proposals.points.device)
        return [
            [
                Refined(budget, moved[row], self.cost(budget), 1.0, places)
                for budget, moved in zip(budgets, points, strict=True)
            ]
            for row in range(len(proposals.points))
        ]
