"""RealNVP (Dinh et al. 2017): a flow of affine couplings, of points or, on several scales, of images."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from trainables.family import at_most, positive, require
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
from trainables.models.mlp_gan import SIZES, WIDEST, check_weights, check_widths, layer_weights
from trainables.models.model import Model

if TYPE_CHECKING:
    from torch import nn

__all__ = ["RealNvp"]


@dataclass(frozen=True)
class RealNvp(Model):
    """Couplings that take turns in which half of the coordinates they move; the latent is as wide as the data.

    On images every one of ``levels`` has ``couplings`` with checkerboard halves, a squeeze, and as many with halves of
    channels; half of the channels then go on. Couplings with checkerboards end it, and the map to pixels.

    Attributes:
        critic: widths of the critic's hidden layers; where it convolves images, their channels.
        couplings: couplings of the flow; on images, of each kind at every level.
        width: hidden width of the networks in the couplings.
        levels: how often images are halved in side.
        critic_by: how the critic scores images: by ``convolution``, or as a ``perceptron`` of their pixels.
    """

    name: ClassVar[str] = "realnvp"
    has_density: ClassVar[bool] = True
    shorthands: ClassVar[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {
        "size": {size: {"critic": widths["critic"]} for size, widths in SIZES.items()}
    }
    critic: tuple[int, ...] = (64, 64, 64)
    couplings: int = 4
    width: int = 64
    levels: int = 2
    critic_by: CriticKind = "convolution"

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
        check_levels(self.levels)

    def check_data(self, shape: tuple[int, ...], classes: int | None) -> None:
        """A coupling splits coordinates."""
        if len(shape) == 3:
            check_image(self.name, shape, self.levels)
        else:
            require(
                len(shape) == 1 and shape[0] >= 2,
                "model realnvp splits coordinates and needs images, or points of at least 2, "
                f"got data of shape {shape}; use another dataset, or model residual",
            )
        check_critic(shape, self.critic, self.critic_by)
        check_weights(self._count(shape, pixels=False), critic_weights(shape, self.critic, self.critic_by))

    def build_generator(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        """The flow."""
        if len(shape) == 1:
            from trainables.models.layers.couplings import RealNVP

            return RealNVP(shape[0], self.couplings, self.width)
        from trainables.models.layers.conv_couplings import ConvCoupling
        from trainables.models.layers.flow import Flow
        from trainables.models.layers.multiscale import multiscale

        def turns(halves: Literal["checkerboard", "channels"], channels: int) -> list[ConvCoupling]:
            return [
                ConvCoupling(channels, self.width, halves, flip=i % 2 == 1) for i in range(self.couplings)
            ]

        parts = multiscale(
            shape,
            self.levels,
            True,
            fine=lambda inner: turns("checkerboard", inner[0]),
            squeezed=lambda inner: turns("channels", inner[0]),
        )
        return Flow(parts, images=True)

    def build_critic(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        """data → logit."""
        return build_critic(shape, self.critic, self.critic_by)

    def multiplications(self, shape: tuple[int, ...], classes: int | None) -> tuple[float, float]:
        """Those of linear layers and convolutions."""
        return self._count(shape, pixels=True), critic_multiplications(shape, self.critic, self.critic_by)

    def _count(self, shape: tuple[int, ...], pixels: bool) -> float:
        """Multiplications, or without ``pixels`` weights."""
        if len(shape) == 1:
            size = prod(shape)
            half = max(1, size // 2)
            return self.couplings * layer_weights(half, self.width, self.width, 2 * (size - half))
        inner = squeezed_shapes(shape, self.levels, split=True)
        fine = [shape, *((c // 2, h, w) for c, h, w in inner)]
        checkerboards = ((c, 2 * c, h * w) for c, h, w in fine)
        channels = ((c // 2, c, h * w) for c, h, w in inner)
        return self.couplings * sum(
            conv_network_weights(taken, self.width, given) * (area if pixels else 1)
            for taken, given, area in (*checkerboards, *channels)
        )
