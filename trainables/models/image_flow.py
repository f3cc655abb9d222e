"""What flows of images have in common, told without torch: their scales, their critics, what both cost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Literal

from trainables.family import positive, require
from trainables.models.mlp_gan import check_widths, layer_weights

if TYPE_CHECKING:
    from torch import nn

__all__ = [
    "BEND",
    "FLATTEST",
    "MARGIN",
    "STEEPEST",
    "WIDTH",
    "CriticKind",
    "build_critic",
    "check_critic",
    "check_image",
    "check_levels",
    "conv_network_weights",
    "critic_multiplications",
    "critic_weights",
    "squeezed_shapes",
]

MARGIN = 0.05
"""α of Dinh et al. 2017: pixels of [-1, 1] fill a share 1 - 2α of the range of tanh in x = tanh(y / 2) / (1 - 2α)."""

BEND = 0.905
"""Share of that range from which on the map to pixels is no longer tanh: beyond 1.0056. Pixels of 256 grey levels are
not there, nor is their noise; that of fewer may be.
"""

WIDTH = 2.0
"""Of logits beyond the bend, over which the map steepens again, to a line as steep as its middle."""

STEEPEST, FLATTEST = 0.5 / (1 - 2 * MARGIN), 0.5 * (1 - BEND**2) / (1 - 2 * MARGIN)
"""Slopes of that map in the middle and on the line, and at the bend."""

CriticKind = Literal["convolution", "perceptron"]
"""How a critic of images scores: by convolutions that halve the image, or flattened, by linear layers."""


def check_levels(levels: int) -> None:
    """Refuse a number of levels that no image has."""
    positive(**{"model.levels": levels})
    require(levels <= 10, f"model.levels must be at most 10, got {levels}; an image is halved so often")


def check_image(name: str, shape: tuple[int, ...], levels: int) -> None:
    """Refuse data that cannot be squeezed so often."""
    require(
        len(shape) == 3,
        f"model {name} needs images (channels, height, width), got data of shape {shape}; use model realnvp",
    )
    fewer = "use fewer levels, or" if levels > 1 else "use model nice, or"
    require(
        all(side % 2**levels == 0 for side in shape[1:]),
        f"model.levels = {levels} halves an image {levels} times, so its sides must be multiples of "
        f"{2**levels}, got {shape[1]} × {shape[2]}; {fewer} a dataset of another size",
    )


def squeezed_shapes(shape: tuple[int, ...], levels: int, split: bool) -> list[tuple[int, int, int]]:
    """(channels, height, width) of every level: four times as many channels after a squeeze, half after a split."""
    channels, height, width = shape
    found = []
    for _ in range(levels):
        channels, height, width = 4 * channels, height // 2, width // 2
        found.append((channels, height, width))
        channels = channels // 2 if split else channels
    return found


def conv_network_weights(channels: int, width: int, out: int) -> float:
    """Weights of 3×3, 1×1 and 3×3 convolutions: their multiplications per pixel."""
    return float(9 * channels * width + width**2 + 9 * width * out)


# ── critics


def _by_convolution(shape: tuple[int, ...], kind: CriticKind) -> bool:
    return len(shape) == 3 and kind == "convolution"


def check_critic(shape: tuple[int, ...], widths: Sequence[int], kind: CriticKind) -> None:
    """Refuse more convolutions than an image has halvings."""
    check_widths("critic", tuple(widths))
    require(
        not _by_convolution(shape, kind) or min(shape[1:]) >= 2 ** len(widths),
        f"model.critic has {len(widths)} widths, each a layer that halves an image, too many for {shape}; "
        "use fewer, or critic_by: perceptron",
    )


def build_critic(shape: tuple[int, ...], widths: Sequence[int], kind: CriticKind) -> nn.Module:
    """data → widths → logit; points always by a perceptron."""
    if _by_convolution(shape, kind):
        from trainables.models.layers.conv_critic import ConvCritic

        return ConvCritic(shape, widths)
    from trainables.models.layers.perceptron import MLPCritic

    return MLPCritic(shape, widths)


def critic_weights(shape: tuple[int, ...], widths: Sequence[int], kind: CriticKind) -> float:
    """Weights, biases left out."""
    return _critic(shape, widths, kind, pixels=False)


def critic_multiplications(shape: tuple[int, ...], widths: Sequence[int], kind: CriticKind) -> float:
    """Multiplications for one sample."""
    return _critic(shape, widths, kind, pixels=True)


def _critic(shape: tuple[int, ...], widths: Sequence[int], kind: CriticKind, pixels: bool) -> float:
    if not _by_convolution(shape, kind):
        return layer_weights(prod(shape), *widths, 1)
    channels, height, width = shape
    total = 0
    for fan_in, fan_out in pairwise((channels, *widths)):
        height, width = height // 2, width // 2
        total += 16 * fan_in * fan_out * (height * width if pixels else 1)
    return float(total + widths[-1] * height * width)
