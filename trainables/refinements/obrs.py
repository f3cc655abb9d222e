"""Optimal budgeted rejection sampling (Vérine 2024, 6.2): one draw in K is kept, the best one can choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.refinements.choosing import Choosing

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Obrs"]


@dataclass(frozen=True)
class Obrs(Choosing):
    """Optimal budgeted rejection sampling: one sample in K is kept.

    A draw x is kept with probability min(c_K r(x), 1), c_K such that this is one in K on average.

    Attributes:
        budgets: budgets K at which trials are read: draws per sample that is kept.
    """

    name: ClassVar[str] = "obrs"
    version: ClassVar[int] = 2  # 1: ratios calibrated with a prior that hung on the critic's scale

    def constants(self, log_ratio: Tensor, budget: float) -> Tensor:
        """log c_K, exactly; O(T · N log N)."""
        from trainables.rejection.obrs import budget_constant

        return budget_constant(log_ratio, budget).unsqueeze(-1)

    def kept(
        self,
        log_ratio: Tensor,
        uniform: Tensor,
        constants: Tensor,
        budget: float,
        real: Tensor | None = None,
        before: int = 0,
    ) -> Tensor:
        """u ≤ min(c_K r, 1)."""
        from trainables.rejection.obrs import acceptance

        return uniform <= acceptance(log_ratio, constants[:, 0])
