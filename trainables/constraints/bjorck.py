"""Orthonormal weights and sorting activations (Anil, Lucas & Grosse 2019)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.constraints.constraint import Columns, Constraint, Parameters
from trainables.family import at_most, positive, require

if TYPE_CHECKING:
    from torch import Tensor, nn

    from trainables.training.stack import Stack

__all__ = ["Bjorck"]


@dataclass(frozen=True)
class Bjorck(Constraint):
    """Every weight is made orthonormal and scaled to L^{1/n}; ReLUs become ``GroupSort``.

    Spectral normalisation bounds the largest singular value and lets the others fade; here all of them are equal, and
    the activation permutes: a network that can keep the slope L everywhere.

    Attributes:
        lipschitz: the Lipschitz constant L that the network is held to.
        iterations: steps of Björck's iteration towards orthonormal weights.
    """

    name: ClassVar[str] = "bjorck"
    rows: ClassVar[tuple[str, ...]] = ("lipschitz",)
    prepares: ClassVar[bool] = True
    lipschitz: float = 5.0
    iterations: int = 15

    def check(self) -> None:
        """L is positive, and some iterations are made."""
        positive(**{"constraint.lipschitz": self.lipschitz, "constraint.iterations": self.iterations})
        require(
            1e-30 <= self.lipschitz <= 1e30,
            f"constraint.lipschitz must lie within single precision, 1e-30 to 1e30, got {self.lipschitz}",
        )
        at_most(1000, **{"constraint.iterations": self.iterations})

    def prepare(self, module: nn.Module) -> nn.Module:
        """Activations that lose no slope."""
        from trainables.models.layers.groupsort import with_groupsort

        return with_groupsort(module)

    def check_critic(self, critic: Stack) -> None:
        """Kernels have no orthonormal form that is as simple."""
        from trainables.lipschitz.orthonormal import can_be_orthonormal

        require(
            can_be_orthonormal(critic),
            f"constraint 'bjorck' needs linear layers and 1-Lipschitz activations in a row; {critic.what} has others, "
            "use constraint spectral for convolutions and residual blocks, or none",
        )

    def weights(
        self, critic: Stack, parameters: Parameters, columns: Columns, state: Tensor | None, update: bool
    ) -> Parameters:
        """Orthonormal up to what the iterations leave."""
        from trainables.lipschitz.orthonormal import orthonormal_weights

        return orthonormal_weights(critic, parameters, columns["lipschitz"], self.iterations)

    def final_weights(self, critic: Stack, parameters: Parameters, columns: Columns) -> Parameters:
        """The same, and the norms exact."""
        from trainables.lipschitz.orthonormal import orthonormal_weights
        from trainables.lipschitz.spectral import normalise_exactly

        made = orthonormal_weights(critic, parameters, columns["lipschitz"], self.iterations)
        return normalise_exactly(critic, made, columns["lipschitz"])

    def promised(self, columns: Columns) -> Tensor:
        """L."""
        return columns["lipschitz"]
