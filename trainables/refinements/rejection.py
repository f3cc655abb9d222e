"""Plain rejection sampling (von Neumann 1951; Vérine 2024, 6.1.1), given up after K draws."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, sqrt
from typing import TYPE_CHECKING, ClassVar

from trainables.refinements.choosing import Choosing

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Rejection"]


@dataclass(frozen=True)
class Rejection(Choosing):
    """Plain rejection sampling, given up after K draws: then the last of them is the sample.

    A draw x is kept with probability r/M, M the largest ratio seen. Without a limit that takes M draws for a sample,
    often thousands, and gives the law of the data where the ratio is exact; within a limit it is mostly given up.

    Attributes:
        budgets: budgets K at which trials are read: the most draws for a sample, on average where K is not whole.
    """

    name: ClassVar[str] = "rejection"
    largest: ClassVar[float] = 10_000

    def due(self, samples: int, budget: float) -> int:
        """Where every attempt is given up, but for a six-sigma accident of how long they are."""
        part = budget - floor(budget)
        return ceil(budget * samples + 6 * sqrt(samples * part * (1 - part))) + 1

    def constants(self, log_ratio: Tensor, budget: float) -> Tensor:
        """log M."""
        return _within(log_ratio).amax(dim=-1, keepdim=True)

    def kept(
        self,
        log_ratio: Tensor,
        uniform: Tensor,
        constants: Tensor,
        budget: float,
        real: Tensor | None = None,
        before: int = 0,
    ) -> Tensor:
        """The first of at most K draws with u ≤ r/M, else the last of them."""
        from trainables.rejection.attempts import kept_of_attempts

        accepted = uniform.double().log() <= _within(log_ratio) - constants
        return kept_of_attempts(accepted, uniform, budget)

    def settled(self, keep: Tensor, budget: float, before: int = 0) -> int:
        """An attempt may go on after the last sample."""
        return self.spent(keep, int(keep.sum()), budget)


def _within(log_ratio: Tensor) -> Tensor:
    """log r as a limit where r is 0 or ∞, as for OBRS: the largest is accepted, also where it is infinite."""
    from trainables.rejection.obrs import LOG_EXTREME

    return log_ratio.double().clamp(-LOG_EXTREME, LOG_EXTREME)
