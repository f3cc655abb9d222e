"""Spectral normalisation of a network to a chosen constant (Miyato et al. 2018), of convolutions as operators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.constraints.constraint import Columns, Constraint, Parameters
from trainables.family import positive, require

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.training.stack import Stack

__all__ = ["Spectral"]


@dataclass(frozen=True)
class Spectral(Constraint):
    """Every one of n layers in a row is rescaled to norm L^{1/n}, so that the whole is L-Lipschitz.

    Residual blocks: ``trainables.lipschitz.spectral``. A convolution's norm is that of the operator on its images.

    In training σ is tracked by one power iteration a step; it lags from below by a few percent a layer, so that a
    critic in training may exceed L a little. For evaluation σ is exact and L holds.

    Attributes:
        lipschitz: the Lipschitz constant L that the network is held to.
    """

    name: ClassVar[str] = "spectral"
    rows: ClassVar[tuple[str, ...]] = ("lipschitz",)
    lipschitz: float = 5.0

    def check(self) -> None:
        """L is positive."""
        positive(**{"constraint.lipschitz": self.lipschitz})
        require(
            1e-30 <= self.lipschitz <= 1e30,
            f"constraint.lipschitz must lie within single precision, 1e-30 to 1e30, got {self.lipschitz}",
        )

    def check_critic(self, critic: Stack) -> None:
        """Weights alone decide the bound, and can make it L."""
        from trainables.lipschitz.spectral import targets

        require(
            targets(critic) is not None,
            "constraint 'spectral' needs linear layers, convolutions and 1-Lipschitz activations in a row or in "
            f"branches that are added; {critic.what} has others, such as batch normalisation, attention, couplings, or "
            "classes or λ as an input; change the model, or use r1 for a critic, none for a generator",
        )

    def initial(self, critic: Stack) -> Tensor:
        """A starting vector u for every layer."""
        from trainables.lipschitz.spectral import starting_vectors

        return starting_vectors(critic)

    def weights(
        self, critic: Stack, parameters: Parameters, columns: Columns, state: Tensor | None, update: bool
    ) -> Parameters:
        """σ by a power iteration from where the last one ended."""
        from trainables.lipschitz.spectral import normalise_tracked

        assert state is not None
        return normalise_tracked(critic, parameters, columns["lipschitz"], state, update)

    def final_weights(self, critic: Stack, parameters: Parameters, columns: Columns) -> Parameters:
        """σ as it is certified: by singular values, for large convolutions by those on a torus."""
        from trainables.lipschitz.spectral import normalise_exactly

        return normalise_exactly(critic, parameters, columns["lipschitz"])

    def promised(self, columns: Columns) -> Tensor:
        """L."""
        return columns["lipschitz"]
