"""Soft truncation of latents (Vérine 2024, 2.1.4): they are drawn nearer to the origin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.evaluation.reading import Cost
from trainables.refinements.draws import Block
from trainables.refinements.moving import Moving

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["SoftTruncation"]


@dataclass(frozen=True)
class SoftTruncation(Moving):
    """Soft truncation: latents ψ z instead of z, with ψ = 1/K.

    It asks no critic, and a sample costs one draw at any K. What is typical is drawn more often: precision rises and
    recall falls.

    Attributes:
        budgets: 1/ψ at which trials are read; 1 truncates nothing.
    """

    name: ClassVar[str] = "soft_truncation"
    scored: ClassVar[bool] = False

    def cost(self, budget: float) -> Cost:
        """One draw."""
        return Cost()

    def constants(self, block: Block) -> Tensor:
        """None."""
        return block.latent.flatten(1)[:, :0]

    def moved(self, block: Block, constants: Tensor, budget: float) -> Tensor:
        """G(ψ z)."""
        return block.generate(block.latent / budget)
