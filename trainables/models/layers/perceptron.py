"""Multilayer perceptrons: a generator of points and a critic that scores them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

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
    """G: latent (…, m) → data (…, d)."""

    def __init__(self, latent: int, hidden: Sequence[int], dim: int) -> None:
        super().__init__()
        self.latent = latent
        self.layers = perceptron((latent, *hidden, dim), slope=0.0)

    def forward(self, z: Tensor) -> Tensor:
        """Samples of z."""
        out: Tensor = self.layers(z)
        return out


_LOGIT = 30.0
"""Logits stay within ±30: a ratio of e^30 is beyond any data, and exponentials of it are finite in float32."""


class MLPCritic(nn.Module):
    """Raw logit w of data (…, d) → (…), softly bounded, which keeps the Lipschitz constant of the layers."""

    def __init__(self, dim: int, hidden: Sequence[int]) -> None:
        super().__init__()
        self.layers = perceptron((dim, *hidden, 1), slope=0.2)

    def forward(self, x: Tensor) -> Tensor:
        """Score x."""
        out: Tensor = self.layers(x)
        return _LOGIT * torch.tanh(out.squeeze(-1) / _LOGIT)
