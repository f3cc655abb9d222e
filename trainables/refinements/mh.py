"""Metropolis-Hastings GAN (Turner et al. 2019; Vérine 2024, 6.1.3): a chain of K draws, of which its end is kept."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING, ClassVar, Literal

from trainables.refinements.choosing import Choosing

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["MetropolisHastings"]


@dataclass(frozen=True)
class MetropolisHastings(Choosing):
    """Metropolis-Hastings over K draws: each takes the place of the one before with probability min(1, r′/r).

    Attributes:
        budgets: budgets K at which trials are read: draws of a chain, whose end is the sample; chains of ⌊K⌋ and ⌈K⌉
            take turns where K is not whole.
        start: where a chain begins: at its first ``draw``, or at a ``real`` point, as Turner et al. do; a chain that
            never leaves it is run again from its first draw, over the same ones.
    """

    name: ClassVar[str] = "mh"
    largest: ClassVar[float] = 10_000
    start: Literal["draw", "real"] = "draw"

    def due(self, samples: int, budget: float) -> int:
        """All draws of all chains."""
        return floor(samples * budget)

    def constants(self, log_ratio: Tensor, budget: float) -> Tensor:
        """None: a chain compares ratios with each other."""
        return log_ratio.double()[..., :0]

    def kept(
        self,
        log_ratio: Tensor,
        uniform: Tensor,
        constants: Tensor,
        budget: float,
        real: Tensor | None = None,
        before: int = 0,
    ) -> Tensor:
        """The ends of chains."""
        from trainables.rejection.chains import ends_of_chains

        if self.start == "real" and real is None:
            raise ValueError(
                "chains that begin at real points need the ratio there, and no real points are at hand; use start: draw"
            )
        return ends_of_chains(log_ratio, uniform, budget, real if self.start == "real" else None, before)

    def spent(self, keep: Tensor, samples: int, budget: float, before: int = 0) -> int:
        """Whole chains."""
        return floor((before + samples) * budget) - floor(before * budget)

    def settled(self, keep: Tensor, budget: float, before: int = 0) -> int:
        """A chain may go on after the last whole one."""
        return self.spent(keep, int(keep.sum()), budget, before)
