"""Discriminator rejection sampling (Azadi et al. 2019; Vérine 2024, 6.1.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.refinements.choosing import Choosing

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Drs"]


@dataclass(frozen=True)
class Drs(Choosing):
    """Discriminator rejection sampling: a smooth acceptance, of which one draw in K is kept.

    A draw x is kept with probability r/(r (1 - e^γ) + M e^γ), M the largest ratio seen and γ such that this is one in K
    on average.

    Attributes:
        budgets: budgets K at which trials are read: draws per sample that is kept.
    """

    name: ClassVar[str] = "drs"

    def constants(self, log_ratio: Tensor, budget: float) -> Tensor:
        """log M, γ, and what thins ties out."""
        from trainables.rejection.drs import drs_constants

        return drs_constants(log_ratio, budget)

    def kept(
        self,
        log_ratio: Tensor,
        uniform: Tensor,
        constants: Tensor,
        budget: float,
        real: Tensor | None = None,
        before: int = 0,
    ) -> Tensor:
        """u ≤ a(x)."""
        from trainables.rejection.drs import drs_acceptance

        return uniform <= drs_acceptance(log_ratio, constants)
