"""The zero-centred penalty on real data (Mescheder, Geiger & Nowozin 2018, R1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.constraints.constraint import Columns, Constraint
from trainables.family import positive

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["R1"]


@dataclass(frozen=True)
class R1(Constraint):
    """Slopes at real points cost their square: where the data are, the critic is to be flat in the end.

    (weight/2) · E[‖∇D(x)‖²] at real x. It promises nothing; certified is the product of norms, where it is known.

    Attributes:
        weight: weight of the penalty beside the critic's loss.
    """

    name: ClassVar[str] = "r1"
    rows: ClassVar[tuple[str, ...]] = ("weight",)
    weight: float = 1.0

    def check(self) -> None:
        """The weight is positive."""
        positive(**{"constraint.weight": self.weight})

    def penalty(
        self,
        score: Callable[[Tensor], Tensor],
        real: Tensor,
        fake: Tensor,
        uniform: Tensor,
        columns: Columns,
    ) -> Tensor:
        """(T,) from points (T, n, *shape)."""
        from trainables.lipschitz.slopes import gradient_norms

        steepness = gradient_norms(score, real, create_graph=True)
        return columns["weight"] / 2 * steepness.square().mean(dim=1)
