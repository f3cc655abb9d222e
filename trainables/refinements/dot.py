"""Discriminator optimal transport (Tanaka 2019; Vérine 2024, 6.1.3): samples follow the critic's slope."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING, ClassVar

from trainables.evaluation.reading import Cost
from trainables.family import at_most, positive
from trainables.refinements.draws import Block
from trainables.refinements.moving import Moving

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Dot"]


@dataclass(frozen=True)
class Dot(Moving):
    """Discriminator optimal transport: samples go uphill on the critic, and are held near where they were drawn.

    A sample y is moved by gradient descent on ‖x - y‖ - d(x)/L, d the log ratio and L the largest slope of d that is
    seen between pairs of draws. A step calls the critic and its gradient: ⌊K - ½⌋ steps cost no more than K draws that
    are scored.

    Attributes:
        budgets: budgets K at which trials are read: draws that are scored whose calls a sample may cost.
        rate: length of a step, over the spread of the draws.
    """

    name: ClassVar[str] = "dot"
    largest: ClassVar[float] = 10_000
    rate: float = 0.05

    def check(self) -> None:
        """A rate is positive."""
        super().check()
        positive(**{"refinement.rate": self.rate})
        at_most(1e6, **{"refinement.rate": self.rate})

    def steps(self, budget: float) -> int:
        """The most with 1 + 2 steps ≤ 2K calls."""
        return floor(budget - 0.5)

    def cost(self, budget: float) -> Cost:
        """One draw; a score and a gradient a step."""
        steps = float(self.steps(budget))
        return Cost(draws=1.0, scores=steps, gradients=steps)

    def constants(self, block: Block) -> Tensor:
        """L and the spread of draws."""
        from trainables.rejection.transport import transport_constants

        return transport_constants(block.points, block.log_ratio(block.points))

    def moved(self, block: Block, constants: Tensor, budget: float) -> Tensor:
        """Draws after so many steps."""
        from trainables.rejection.transport import transported

        return transported(block.points, block.log_ratio, constants, self.steps(budget), self.rate)
