"""GLOW (Kingma & Dhariwal 2018): a flow of images with invertible 1×1 convolutions, on several scales."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from trainables.family import at_most, positive
from trainables.models.image_flow import (
    CriticKind,
    build_critic,
    check_critic,
    check_image,
    check_levels,
    conv_network_weights,
    critic_multiplications,
    critic_weights,
    squeezed_shapes,
)
from trainables.models.mlp_gan import WIDEST, check_weights, check_widths
from trainables.models.model import Model

if TYPE_CHECKING:
    from torch import nn

    from trainables.models.layers.flow import Part

__all__ = ["SIZES", "Glow"]

SIZES: Mapping[str, Mapping[str, Any]] = {
    "small": {"levels": 2, "steps": 4, "width": 64},
    "thesis": {
        "levels": 3,
        "steps": 16,
        "width": 512,
        "split": False,
        "critic": (1024, 512, 256),
        "critic_by": "perceptron",
    },
}
"""``thesis`` is Vérine 2024, C.1.3: levels of 4 × 16 × 16, 16 × 8 × 8 and 64 × 4 × 4, so nothing is set aside."""


@dataclass(frozen=True)
class Glow(Model):
    """Every level squeezes the image, takes steps (actnorm, 1×1 convolution, affine coupling) and sets half aside.

    Attributes:
        critic: widths of the critic's hidden layers; where it convolves images, their channels.
        critic_by: how the critic scores images: by ``convolution``, or as a ``perceptron`` of their pixels.
        levels: how often the image is halved in side.
        steps: steps of the flow at every level.
        width: channels of the networks in the couplings.
        split: whether half of the channels are set aside after a level.
    """

    name: ClassVar[str] = "glow"
    has_density: ClassVar[bool] = True
    shorthands: ClassVar[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {"size": SIZES}
    critic: tuple[int, ...] = (64, 64, 64)
    critic_by: CriticKind = "convolution"
    levels: int = 2
    steps: int = 4
    width: int = 64
    split: bool = True

    def check(self) -> None:
        """Counts and widths are positive."""
        check_widths("critic", self.critic)
        check_levels(self.levels)
        positive(**{"model.steps": self.steps, "model.width": self.width})
        at_most(1000, **{"model.steps": self.steps})
        at_most(WIDEST, **{"model.width": self.width})

    def check_data(self, shape: tuple[int, ...], classes: int | None) -> None:
        """Images that can be squeezed."""
        check_image(self.name, shape, self.levels)
        check_critic(shape, self.critic, self.critic_by)
        check_weights(self._count(shape, pixels=False), critic_weights(shape, self.critic, self.critic_by))

    def build_generator(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        """The flow."""
        from trainables.models.layers.conv_couplings import ConvCoupling
        from trainables.models.layers.flow import Flow
        from trainables.models.layers.glow_step import ActNorm, InvertibleConv
        from trainables.models.layers.multiscale import multiscale

        def steps(squeezed: tuple[int, ...]) -> list[Part]:
            """From latents to data: the inverse of actnorm, convolution, coupling."""
            channels = squeezed[0]
            parts: list[Part] = []
            for _ in range(self.steps):
                coupling = ConvCoupling(channels, self.width, "channels", flip=False)
                parts += [coupling, InvertibleConv(channels), ActNorm(channels)]
            return parts

        return Flow(multiscale(shape, self.levels, self.split, lambda _: [], steps), images=True)

    def build_critic(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        """data → logit."""
        return build_critic(shape, self.critic, self.critic_by)

    def multiplications(self, shape: tuple[int, ...], classes: int | None) -> tuple[float, float]:
        """Those of the convolutions."""
        return self._count(shape, pixels=True), critic_multiplications(shape, self.critic, self.critic_by)

    def _count(self, shape: tuple[int, ...], pixels: bool) -> float:
        """Multiplications, or without ``pixels`` weights."""
        total = 0.0
        for channels, height, width in squeezed_shapes(shape, self.levels, self.split):
            step = channels**2 + conv_network_weights(channels // 2, self.width, channels)
            total += self.steps * step * (height * width if pixels else 1)
        return total
