"""Hard truncation of latents (Brock et al. 2019; Vérine 2024, 2.1.4): their numbers lie within ±ψ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.evaluation.reading import Cost
from trainables.refinements.draws import Block
from trainables.refinements.moving import Moving

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["HardTruncation"]


@dataclass(frozen=True)
class HardTruncation(Moving):
    """Hard truncation: every number of a latent lies within ±ψ, where one in K of a standard normal law does.

    It asks no critic, and a sample costs one draw at any K. ψ = Φ⁻¹(½ + ½/K): 0.67 at K = 2, 0.32 at K = 4, ∞ at K = 1.

    Attributes:
        budgets: K at which trials are read, each a ψ; 1 truncates nothing.
    """

    name: ClassVar[str] = "hard_truncation"
    scored: ClassVar[bool] = False

    def cost(self, budget: float) -> Cost:
        """One draw."""
        return Cost()

    def constants(self, block: Block) -> Tensor:
        """None."""
        return block.latent.flatten(1)[:, :0]

    def moved(self, block: Block, constants: Tensor, budget: float) -> Tensor:
        """G of latents whose numbers are carried over in their order."""
        from trainables.rejection.truncation import truncated

        return block.generate(truncated(block.latent, budget))
