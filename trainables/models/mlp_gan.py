"""A perceptron that makes points, or images pixel by pixel, and a perceptron that scores them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

from trainables.family import at_most, positive, require
from trainables.models.model import Model

if TYPE_CHECKING:
    from torch import nn

__all__ = [
    "LAM_CODE",
    "MOST_WEIGHTS",
    "SIZES",
    "WIDEST",
    "MlpGan",
    "check_weights",
    "check_widths",
    "lam_weights",
    "layer_weights",
]

SIZES: Mapping[str, Mapping[str, Any]] = {
    "small": {"generator": (32, 32), "critic": (64, 64, 64)},
    "medium": {"generator": (64, 64), "critic": (128, 128, 128)},
    "thesis": {"generator": (256, 512, 1024), "critic": (1024, 512, 256)},
}
"""Hidden widths by name; ``thesis`` is Vérine 2024, C.2.1."""


LAM_CODE = 16
"""Width of the embedding of log λ."""
MOST_LAYERS = 100
WIDEST = 2**16
MOST_WEIGHTS = 10**9
"""Of one network: four gigabytes, and four times as much while it is trained."""


def layer_weights(*widths: int) -> float:
    """Weights of linear layers of these widths, input and output included."""
    return float(sum(a * b for a, b in pairwise(widths)))


def lam_weights(*modulated: int) -> float:
    """Weights of the embedding of log λ and of the modulations of so many features or channels."""
    return float(LAM_CODE * (1 + 2 * sum(modulated)))


def check_widths(name: str, widths: tuple[int, ...]) -> None:
    """Refuse hidden widths of which no network can be made."""
    require(len(widths) > 0, f"model.{name} needs at least one hidden layer, got an empty list")
    at_most(MOST_LAYERS, **{f"the number of layers in model.{name}": len(widths)})
    positive(**{f"model.{name} widths": min(widths)})
    at_most(WIDEST, **{f"model.{name} widths": max(widths)})
    at_most(MOST_WEIGHTS, **{f"the weights of model.{name}": int(layer_weights(*widths))})


def check_weights(generator: float, critic: float) -> None:
    """Refuse networks that no machine holds, the layers at their ends included."""
    at_most(MOST_WEIGHTS, **{"the weights of the generator": generator, "the weights of the critic": critic})


@dataclass(frozen=True)
class MlpGan(Model):
    """Perceptrons with leaky ReLUs; hidden widths are given one by one, or by ``size``.

    ``slope`` is that of the generator's ReLUs below 0; ``bounded`` ends the generator in tanh, for images in [-1, 1].
    Of size ``thesis`` with latent 100 and slope 0.2 it is the network for MNIST of Vérine 2024, C.2.3.
    With ``takes_lam`` both networks take log λ beside their input, and it modulates every hidden layer.

    Attributes:
        generator: hidden widths of the generator.
        critic: hidden widths of the critic.
        latent: dimension of the latent z.
        slope: slope of the generator's ReLUs below 0.
        bounded: whether the generator ends in tanh, for images in [-1, 1].
        takes_lam: whether both networks take log λ as an input, so that one model can be trained for a range of λ.
    """

    name: ClassVar[str] = "mlp_gan"
    shorthands: ClassVar[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {"size": SIZES}
    generator: tuple[int, ...] = (32, 32)
    critic: tuple[int, ...] = (64, 64, 64)
    latent: int = 2
    slope: float = 0.0
    bounded: bool = False
    takes_lam: bool = False

    def check(self) -> None:
        """Widths and latent are positive."""
        check_widths("generator", self.generator)
        check_widths("critic", self.critic)
        positive(**{"model.latent": self.latent})
        at_most(WIDEST, **{"model.latent": self.latent})
        require(
            0 <= self.slope <= 1,
            f"model.slope must be from 0 (ReLU) to 1 (linear), got {self.slope}; leaky ReLUs have 0.2",
        )

    def check_data(self, shape: tuple[int, ...], classes: int | None) -> None:
        """Both networks can be held, and only images are bounded."""
        require(
            not self.bounded or len(shape) == 3,
            f"model.bounded is for images in [-1, 1], got points of shape {shape}; leave it out",
        )
        check_weights(*self._weights(shape))

    def build_generator(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        """latent → hidden widths → data."""
        from trainables.models.layers.modulated import LamGenerator
        from trainables.models.layers.perceptron import MLPGenerator

        kind = LamGenerator if self.takes_lam else MLPGenerator
        return kind(self.latent, self.generator, shape, self.slope, self.bounded)

    def build_critic(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        """data → hidden widths → logit."""
        from trainables.models.layers.modulated import LamCritic
        from trainables.models.layers.perceptron import MLPCritic

        return LamCritic(shape, self.critic) if self.takes_lam else MLPCritic(shape, self.critic)

    def multiplications(self, shape: tuple[int, ...], classes: int | None) -> tuple[float, float]:
        """Weights of the layers, biases left out."""
        return self._weights(shape)

    def _weights(self, shape: tuple[int, ...]) -> tuple[float, float]:
        size, lam = prod(shape), int(self.takes_lam)
        modulation = [lam * lam_weights(*widths) for widths in (self.generator, self.critic)]
        generator = layer_weights(self.latent + lam, *self.generator, size)
        return generator + modulation[0], layer_weights(size + lam, *self.critic, 1) + modulation[1]
