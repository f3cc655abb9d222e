"""Multilayer perceptrons: a generator of points and a critic that scores them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod

import torch
from torch import Tensor, nn

__all__ = ["MLPCritic", "MLPGenerator", "perceptron"]


def perceptron(widths: Sequence[int], slope: float) -> nn.Sequential:
    """Linear layers of the given widths (input and output included), leaky ReLU between them."""
    layers: list[nn.Module] = []
    for fan_in, fan_out in pairwise(widths):
        layers += [nn.Linear(fan_in, fan_out), nn.LeakyReLU(slope)]
    return nn.Sequential(*layers[:-1])


class MLPGenerator(nn.Module):
    """G: latent (n, m) → data (n, *shape); within [-1, 1], by a tanh, if ``bounded``."""

    def __init__(
        self,
        latent: int,
        hidden: Sequence[int],
        shape: tuple[int, ...],
        slope: float = 0.0,
        bounded: bool = False,
    ) -> None:
        super().__init__()
        self.shape, self.bounded = shape, bounded
        self.layers = perceptron((latent, *hidden, prod(shape)), slope)

    def forward(self, z: Tensor) -> Tensor:
        """Samples of z."""
        out: Tensor = self.layers(z)
        out = torch.tanh(out) if self.bounded else out
        return out.unflatten(-1, self.shape) if len(self.shape) > 1 else out


class MLPCritic(nn.Sequential):
    """Raw logits (n, 1) of data (n, *shape)."""

    def __init__(self, shape: tuple[int, ...], hidden: Sequence[int]) -> None:
        flatten = [nn.Flatten(-len(shape))] if len(shape) > 1 else []
        super().__init__(*flatten, *perceptron((prod(shape), *hidden, 1), slope=0.2))
