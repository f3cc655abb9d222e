"""RealNVP (Dinh et al. 2017): a flow of affine couplings, with an exact density, and a perceptron that scores it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

from trainables.family import at_most, positive, require
from trainables.models.mlp_gan import SIZES, WIDEST, check_weights, check_widths, layer_weights
from trainables.models.model import Model

if TYPE_CHECKING:
    from torch import nn

__all__ = ["RealNvp"]


@dataclass(frozen=True)
class RealNvp(Model):
    """Couplings that take turns in which half of the coordinates they move; the latent is as wide as the data."""

    name: ClassVar[str] = "realnvp"
    has_density: ClassVar[bool] = True
    shorthands: ClassVar[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {
        "size": {size: {"critic": widths["critic"]} for size, widths in SIZES.items()}
    }
    critic: tuple[int, ...] = (64, 64, 64)
    couplings: int = 4
    width: int = 64

    def check(self) -> None:
        """Widths are positive and every coordinate moves."""
        check_widths("critic", self.critic)
        positive(**{"model.width": self.width})
        require(
            self.couplings >= 2,
            f"model.couplings must be ≥ 2 so that every coordinate moves, got {self.couplings}",
        )
        at_most(1000, **{"model.couplings": self.couplings})
        at_most(WIDEST, **{"model.width": self.width})

    def check_data(self, shape: tuple[int, ...], classes: int | None) -> None:
        """A coupling splits coordinates."""
        require(
            len(shape) == 1 and shape[0] >= 2,
            f"model realnvp splits coordinates and needs points of at least 2, got data of shape {shape}; "
            "use another dataset, or model mlp_gan",
        )
        check_weights(*self._weights(shape))

    def build_generator(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        """The flow."""
        from trainables.models.layers.couplings import RealNVP

        return RealNVP(shape[0], self.couplings, self.width)

    def build_critic(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        """data → hidden widths → logit."""
        from trainables.models.layers.perceptron import MLPCritic

        return MLPCritic(shape, self.critic)

    def multiplications(self, shape: tuple[int, ...], classes: int | None) -> tuple[float, float]:
        """Weights of the layers, biases left out."""
        return self._weights(shape)

    def _weights(self, shape: tuple[int, ...]) -> tuple[float, float]:
        size = prod(shape)
        half = max(1, size // 2)
        coupling = layer_weights(half, self.width, self.width, 2 * (size - half))
        return self.couplings * coupling, layer_weights(size, *self.critic, 1)
