"""Discriminator gradient flow (Ansari et al. 2021; Vérine 2024, 6.1.3): latents follow the gradient of a divergence."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, inf
from typing import TYPE_CHECKING, ClassVar, Literal

from trainables.evaluation.reading import Cost
from trainables.family import at_most, positive, require
from trainables.refinements.draws import Block
from trainables.refinements.moving import Moving

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["DGFlow"]


@dataclass(frozen=True)
class DGFlow(Moving):
    """Discriminator gradient flow: latents follow the gradient flow of a divergence, with a little noise.

    A step adds η s(d) ∇d + √(2 ν η) ξ to z, d = log r(G(z)) and s by the divergence. It calls generator, critic and
    their gradient: ⌊(2K - 1)/3⌋ steps cost no more than K draws that are scored.

    Attributes:
        budgets: budgets K at which trials are read: draws that are scored whose calls a sample may cost.
        divergence: whose flow is followed: ``kl`` with s = 1, ``js`` with s = σ(d), or ``logd`` with s = σ(-d).
        rate: η, length of a step; the latents have variance 1.
        noise: ν, the weight of the entropy.
    """

    name: ClassVar[str] = "dgflow"
    largest: ClassVar[float] = 10_000
    divergence: Literal["kl", "js", "logd"] = "kl"
    rate: float = 0.003
    noise: float = 0.01

    def check(self) -> None:
        """A rate is positive, noise is not negative."""
        super().check()
        positive(**{"refinement.rate": self.rate})
        require(0 <= self.noise < inf, f"refinement.noise must be ≥ 0, got {self.noise:g}; 0 adds none")
        at_most(1e6, **{"refinement.rate": self.rate, "refinement.noise": self.noise})

    def steps(self, budget: float) -> int:
        """The most with 1 + 3 steps ≤ 2K calls."""
        return floor((2 * budget - 1) / 3)

    def cost(self, budget: float) -> Cost:
        """A draw, a score and a gradient a step, and the last draw."""
        steps = float(self.steps(budget))
        return Cost(draws=1.0 + steps, scores=steps, gradients=steps)

    def constants(self, block: Block) -> Tensor:
        """None."""
        return block.latent.flatten(1)[:, :0]

    def moved(self, block: Block, constants: Tensor, budget: float) -> Tensor:
        """What the generator makes of latents after so many steps."""
        from trainables.rejection.flow import flowed

        steps = self.steps(budget)
        if not steps:
            return block.points
        latent = flowed(
            block.latent,
            lambda z: block.log_ratio(block.generate(z)),
            block.normal,
            steps,
            self.divergence,
            self.rate,
            self.noise,
        )
        return block.generate(latent)
