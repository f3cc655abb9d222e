"""A small critic of images: convolutions of stride 2, then a linear layer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from torch import nn

from trainables.models.layers.strided import StridedConv

__all__ = ["ConvCritic"]


class ConvCritic(nn.Sequential):
    """Raw logits (n, 1) of images (n, c, h, w): 4×4 convolutions of stride 2 with leaky ReLUs (Radford et al. 2016).

    A side s becomes ⌊s/2⌋ in every layer.
    """

    def __init__(self, shape: tuple[int, ...], widths: Sequence[int]) -> None:
        layers: list[nn.Module] = []
        for fan_in, fan_out in pairwise((shape[0], *widths)):
            layers += [StridedConv(fan_in, fan_out), nn.LeakyReLU(0.2)]
        height, width = (side // 2 ** len(widths) for side in shape[1:])
        super().__init__(*layers, nn.Flatten(-3), nn.Linear(widths[-1] * height * width, 1))
