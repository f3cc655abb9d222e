"""Residual flows (Behrmann et al. 2019, Chen et al. 2019): blocks x + g(x) with a certified Lip(g) ≤ L < 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf, log, prod
from typing import TYPE_CHECKING, ClassVar

from trainables.family import at_most, positive, require
from trainables.models.image_flow import (
    FLATTEST,
    STEEPEST,
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
from trainables.models.mlp_gan import WIDEST, check_weights, check_widths, layer_weights
from trainables.models.model import Model

if TYPE_CHECKING:
    from torch import nn

    from trainables.models.layers.flow import Part

__all__ = ["Residual", "fixed_point_steps", "unrolled_steps"]

_GRADIENT_ERROR = 1e-2
"""What unrolled iterations may leave out of the gradient of a sample, relatively."""


def fixed_point_steps(constant: float, tolerance: float) -> int:
    """k with L^k / (1 - L) ≤ tolerance: x ← z - g(x) from x = z is then that close to its limit, in units of |g(z)|."""
    return max(1, ceil(log(tolerance * (1 - constant)) / log(constant)))


def unrolled_steps(constant: float) -> int:
    """k with L^k ≤ 1 %: so many iterations from the limit have its gradient but for that share."""
    return max(1, ceil(log(_GRADIENT_ERROR) / log(constant)))


@dataclass(frozen=True)
class Residual(Model):
    """G⁻¹ is K blocks x + g(x), Lip(g) ≤ L, so that Lip(G⁻¹) ≤ (1 + L)^K and Lip(G) ≤ 1 / (1 - L)^K.

    Densities take one pass, samples the inverse of every block by a fixed-point iteration to ``tolerance``. On images
    every one of ``levels`` squeezes has K blocks of convolutions, and the map to pixels comes last.

    Attributes:
        critic: widths of the critic's hidden layers; where it convolves images, their channels.
        critic_by: how the critic scores images: by ``convolution``, or as a ``perceptron`` of their pixels.
        blocks: blocks x + g(x) of the flow; on images, at every level.
        block_constant: bound L < 1 on the Lipschitz constant of every g.
        width: hidden width of every g.
        tolerance: how far a sample may be from the exact inverse, relative to g.
        exact: dimension up to which log-determinants are exact; beyond, they are estimated.
        levels: how often images are halved in side.
    """

    name: ClassVar[str] = "residual"
    has_density: ClassVar[bool] = True
    critic: tuple[int, ...] = (64, 64, 64)
    critic_by: CriticKind = "convolution"
    blocks: int = 8
    block_constant: float = 0.8
    width: int = 64
    tolerance: float = 1e-4
    exact: int = 8
    levels: int = 2

    def check(self) -> None:
        """Blocks are contractions, and can be inverted in a bearable number of steps."""
        check_widths("critic", self.critic)
        check_levels(self.levels)
        positive(**{"model.blocks": self.blocks, "model.width": self.width})
        require(
            0.01 <= self.block_constant <= 0.99,
            f"model.block_constant must lie between 0.01 and 0.99, got {self.block_constant}; "
            "a block of constant 1 has no inverse, and near 1 its iteration takes too long",
        )
        require(
            1e-12 <= self.tolerance <= 0.1,
            f"model.tolerance must lie between 1e-12 and 0.1, got {self.tolerance}",
        )
        require(0 <= self.exact <= 64, f"model.exact must lie between 0 and 64, got {self.exact}")
        at_most(1000, **{"model.blocks": self.blocks})
        at_most(WIDEST, **{"model.width": self.width})

    def check_data(self, shape: tuple[int, ...], classes: int | None) -> None:
        """Points, or images that can be squeezed."""
        if len(shape) > 1:
            check_image(self.name, shape, self.levels)
        check_critic(shape, self.critic, self.critic_by)
        check_weights(self._count(shape, pixels=False), critic_weights(shape, self.critic, self.critic_by))

    def lipschitz_bounds(self, shape: tuple[int, ...]) -> tuple[float, float]:
        """Upper bounds of Lip(G) and Lip(G⁻¹); on images the map to pixels is in."""
        images = len(shape) > 1
        count = self.blocks * (self.levels if images else 1)
        steepest, flattest = (STEEPEST, FLATTEST) if images else (1.0, 1.0)
        there, back = _power(1 - self.block_constant, -count), _power(1 + self.block_constant, count)
        return steepest * there, back / flattest

    def build_generator(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        """The flow."""
        from trainables.models.layers.flow import Flow
        from trainables.models.layers.multiscale import multiscale
        from trainables.models.layers.residual_block import ResidualBlock

        def blocks(inner: tuple[int, ...]) -> Sequence[Part]:
            make = (inner, self.width, self.block_constant, self.tolerance, self.exact)
            return [ResidualBlock(*make) for _ in range(self.blocks)]

        if len(shape) == 1:
            return Flow(blocks(shape), images=False)
        return Flow(multiscale(shape, self.levels, False, lambda _: [], blocks), images=True)

    def build_critic(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        """data → logit."""
        return build_critic(shape, self.critic, self.critic_by)

    def multiplications(self, shape: tuple[int, ...], classes: int | None) -> tuple[float, float]:
        """g as often as the iteration that inverts its block asks for it, and what the gradient of a sample needs."""
        steps = fixed_point_steps(self.block_constant, self.tolerance)
        further = 2 + prod(shape) if prod(shape) <= self.exact else unrolled_steps(self.block_constant)
        flow = (steps + further) * self._count(shape, pixels=True)
        return flow, critic_multiplications(shape, self.critic, self.critic_by)

    def _count(self, shape: tuple[int, ...], pixels: bool) -> float:
        """Multiplications of all g, or without ``pixels`` their weights."""
        if len(shape) == 1:
            return self.blocks * layer_weights(shape[0], self.width, self.width, shape[0])
        total = 0.0
        for channels, height, width in squeezed_shapes(shape, self.levels, split=False):
            block = conv_network_weights(channels, self.width, channels)
            total += self.blocks * block * (height * width if pixels else 1)
        return total


def _power(base: float, exponent: int) -> float:
    """base^exponent, ∞ where that is no number."""
    try:
        return float(base**exponent)
    except OverflowError:
        return inf
