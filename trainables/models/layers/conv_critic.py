"""A small critic of images: convolutions of stride 2, then a linear layer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from torch import nn

from trainables.family import require

__all__ = ["ConvCritic", "check_conv_critic", "conv_critic_multiplications"]


def _sides(shape: tuple[int, ...], layers: int) -> list[tuple[int, int]]:
    """Height and width after every layer."""
    sides = [(shape[1], shape[2])]
    for _ in range(layers):
        height, width = sides[-1]
        sides.append((height // 2, width // 2))
    return sides[1:]


def check_conv_critic(shape: tuple[int, ...], widths: Sequence[int]) -> None:
    """Refuse more layers than an image has halvings."""
    require(
        min(_sides(shape, len(widths))[-1]) >= 1,
        f"model.critic has {len(widths)} layers that each halve an image, too many for {shape[1]} × {shape[2]}; "
        "use fewer widths",
    )


def conv_critic_multiplications(shape: tuple[int, ...], widths: Sequence[int]) -> float:
    """Multiplications for one image."""
    sides = _sides(shape, len(widths))
    layers = sum(16 * a * b * h * w for (a, b), (h, w) in zip(pairwise((shape[0], *widths)), sides, strict=True))
    return float(layers + widths[-1] * sides[-1][0] * sides[-1][1])


class ConvCritic(nn.Sequential):
    """Raw logits (n, 1) of images (n, c, h, w): 4×4 convolutions of stride 2 with leaky ReLUs (Radford et al. 2016)."""

    def __init__(self, shape: tuple[int, ...], widths: Sequence[int]) -> None:
        check_conv_critic(shape, widths)
        layers: list[nn.Module] = []
        for fan_in, fan_out in pairwise((shape[0], *widths)):
            layers += [nn.Conv2d(fan_in, fan_out, 4, stride=2, padding=1), nn.LeakyReLU(0.2)]
        height, width = _sides(shape, len(widths))[-1]
        super().__init__(*layers, nn.Flatten(-3), nn.Linear(widths[-1] * height * width, 1))
