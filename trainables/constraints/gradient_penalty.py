"""The gradient penalty (Gulrajani et al. 2017), two-sided or one-sided (Petzka, Fischer & Lukovnikov 2018)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from trainables.constraints.constraint import Columns, Constraint
from trainables.family import positive

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["GradientPenalty"]


@dataclass(frozen=True)
class GradientPenalty(Constraint):
    """Slopes between real and generated points cost their distance from the target.

    weight · E[(‖∇D(x)‖ - target)²] at x = fake + u (real - fake), u uniform. One-sided, slopes below the target cost
    nothing: (‖∇D‖ - target)₊². A critic that takes classes is asked for that of the real end. It pulls and promises
    nothing; certified is the product of norms, where it is known.

    Attributes:
        weight: weight of the penalty beside the critic's loss.
        target: norm of the gradient that costs nothing.
        side: whether slopes are pulled to the target from ``two`` sides, or from ``one``, which lets smaller ones be.
    """

    name: ClassVar[str] = "gradient_penalty"
    rows: ClassVar[tuple[str, ...]] = ("weight", "target")
    weight: float = 10.0
    target: float = 1.0
    side: Literal["two", "one"] = "two"

    def check(self) -> None:
        """Weight and target are positive."""
        positive(**{"constraint.weight": self.weight, "constraint.target": self.target})

    def penalty(
        self,
        score: Callable[[Tensor], Tensor],
        real: Tensor,
        fake: Tensor,
        uniform: Tensor,
        columns: Columns,
    ) -> Tensor:
        """(T,) from points (T, n, *shape) and uniforms (T, n)."""
        from trainables.lipschitz.slopes import gradient_norms

        share = uniform.reshape(*uniform.shape, *[1] * (real.ndim - 2))
        steepness = gradient_norms(score, fake + share * (real - fake), create_graph=True)
        excess = steepness - columns["target"].unsqueeze(1)
        if self.side == "one":
            excess = excess.clamp_min(0.0)
        return columns["weight"] * excess.square().mean(dim=1)
