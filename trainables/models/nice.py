"""NICE (Dinh et al. 2014): a flow of additive couplings and a scale for every coordinate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

from trainables.family import at_most, positive, require
from trainables.models.image_flow import (
    CriticKind,
    build_critic,
    check_critic,
    critic_multiplications,
    critic_weights,
)
from trainables.models.mlp_gan import WIDEST, check_weights, check_widths, layer_weights
from trainables.models.model import Model

if TYPE_CHECKING:
    from torch import nn

__all__ = ["Nice"]


@dataclass(frozen=True)
class Nice(Model):
    """Even and odd coordinates take turns in moving each other; images are flattened, and end in the map to pixels.

    Attributes:
        critic: widths of the critic's hidden layers; where it convolves images, their channels.
        critic_by: how the critic scores images: by ``convolution``, or as a ``perceptron`` of their pixels.
        couplings: couplings of the flow.
        width: hidden width of the networks in the couplings.
        layers: hidden layers of the networks in the couplings.
    """

    name: ClassVar[str] = "nice"
    has_density: ClassVar[bool] = True
    shorthands: ClassVar[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {
        "size": {"small": {"width": 64, "layers": 2}, "paper": {"width": 1000, "layers": 5}}
    }
    critic: tuple[int, ...] = (64, 64, 64)
    critic_by: CriticKind = "convolution"
    couplings: int = 4
    width: int = 64
    layers: int = 2

    def check(self) -> None:
        """Widths are positive and every coordinate moves."""
        check_widths("critic", self.critic)
        positive(**{"model.width": self.width, "model.layers": self.layers})
        require(
            self.couplings >= 2,
            f"model.couplings must be ≥ 2 so that every coordinate moves, got {self.couplings}",
        )
        at_most(1000, **{"model.couplings": self.couplings})
        at_most(100, **{"model.layers": self.layers})
        at_most(WIDEST, **{"model.width": self.width})

    def check_data(self, shape: tuple[int, ...], classes: int | None) -> None:
        """A coupling splits coordinates."""
        require(
            prod(shape) >= 2,
            f"model nice splits coordinates and needs at least 2, got data of shape {shape}; "
            "use another dataset, or model residual",
        )
        check_critic(shape, self.critic, self.critic_by)
        check_weights(self._weights(shape), critic_weights(shape, self.critic, self.critic_by))

    def build_generator(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        """The flow."""
        from trainables.models.layers.additive import AdditiveCoupling, Scaling
        from trainables.models.layers.flow import Flow

        couplings = [
            AdditiveCoupling(prod(shape), self.width, self.layers, odd=i % 2 == 1)
            for i in range(self.couplings)
        ]
        return Flow([Scaling(shape), *couplings], images=len(shape) == 3)

    def build_critic(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        """data → logit."""
        return build_critic(shape, self.critic, self.critic_by)

    def multiplications(self, shape: tuple[int, ...], classes: int | None) -> tuple[float, float]:
        """Weights of the flow, and those of the critic as often as they are used."""
        return self._weights(shape), critic_multiplications(shape, self.critic, self.critic_by)

    def _weights(self, shape: tuple[int, ...]) -> float:
        size, inner = prod(shape), [self.width] * self.layers
        even = size - size // 2
        turns = [(even, size - even), (size - even, even)]
        return sum(layer_weights(a, *inner, b) for a, b in (turns[i % 2] for i in range(self.couplings)))
