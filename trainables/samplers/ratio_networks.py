"""Small networks that tell real points from draws: their logit is log r, up to what they can learn.

They treat every sample by itself, draw no random numbers and are smooth, so that samples can climb their gradient.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

__all__ = ["RatioNetwork", "ratio_network"]

WIDTH = 128
SMALLEST = 4
"""The side of the maps that convolutions end with, at most."""


class RatioNetwork(nn.Module):
    """Samples (m, *shape) → logits (m,), of samples shifted and scaled to mean 0 and variance 1.

    Attributes:
        mean, spread: of points of both kinds: (1, d), or (1, c, 1, 1) of images.
    """

    mean: Tensor
    spread: Tensor

    def __init__(self, shape: tuple[int, ...]) -> None:
        super().__init__()
        self.body = _convolutions(shape) if len(shape) == 3 else _perceptron(math.prod(shape))
        self.register_buffer("mean", torch.zeros(1))
        self.register_buffer("spread", torch.ones(1))

    def standardise(self, points: Tensor) -> None:
        """Find shift and scale on some points (n, *shape); what never varies is not scaled."""
        flat = points.double()
        over = [0, 2, 3] if points.ndim == 4 else [0]
        spread, mean = torch.std_mean(flat, dim=over, keepdim=True, correction=0)
        self.mean = mean.float()
        self.spread = torch.where(spread > 1e-6 * mean.abs().clamp_min(1e-6), spread, 1.0).float()

    def forward(self, x: Tensor) -> Tensor:
        """Logits of samples."""
        found: Tensor = self.body((x - self.mean) / self.spread)
        return found.squeeze(1)


def ratio_network(shape: tuple[int, ...], seed: int) -> RatioNetwork:
    """Freshly drawn with the random numbers of a seed; the caller's go on as if nothing had been."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return RatioNetwork(shape)


def _perceptron(width: int) -> nn.Sequential:
    hidden = [nn.Linear(width, WIDTH), nn.SiLU(), nn.Linear(WIDTH, WIDTH), nn.SiLU()]
    return nn.Sequential(nn.Flatten(), *hidden, nn.Linear(WIDTH, 1))


def _convolutions(shape: tuple[int, ...]) -> nn.Sequential:
    """Half the side a layer, down to ``SMALLEST``, then a hidden layer."""
    channels, height, width = shape
    layers: list[nn.Module] = [nn.Conv2d(channels, 32, 3, padding=1), nn.SiLU()]
    features = 32
    while max(height, width) > SMALLEST:
        wider = min(2 * features, WIDTH)
        layers += [nn.Conv2d(features, wider, 3, stride=2, padding=1), nn.SiLU()]
        features, height, width = wider, -(-height // 2), -(-width // 2)
    hidden = [nn.Linear(features * height * width, WIDTH), nn.SiLU()]
    return nn.Sequential(*layers, nn.Flatten(), *hidden, nn.Linear(WIDTH, 1))
