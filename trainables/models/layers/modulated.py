"""Perceptrons that take log λ: beside their input, and as a modulation of every hidden layer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from trainables.models.layers.film import Film, LamEmbedding, scaled

__all__ = ["LamCritic", "LamGenerator"]


class _Modulated(nn.Module):
    """(x, log λ) → linear layers; before each leaky ReLU its features are modulated by log λ."""

    def __init__(self, widths: Sequence[int], slope: float) -> None:
        super().__init__()
        self.slope = slope
        first, *rest = widths
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise((first + 1, *rest)))
        self.embed = LamEmbedding()
        self.films = nn.ModuleList(Film(width) for width in rest[:-1])

    def forward(self, x: Tensor, log_lam: Tensor) -> Tensor:
        code, h = self.embed(log_lam), torch.cat((x, scaled(log_lam)), dim=-1)
        for layer, film in zip(self.layers, self.films, strict=False):
            h = F.leaky_relu(film(layer(h), code), self.slope)
        out: Tensor = self.layers[-1](h)
        return out


class LamGenerator(nn.Module):
    """G(·; λ): latent (n, m), log λ (n,) → data (n, *shape); within [-1, 1] if ``bounded``."""

    def __init__(
        self, latent: int, hidden: Sequence[int], shape: tuple[int, ...], slope: float, bounded: bool
    ) -> None:
        super().__init__()
        self.shape, self.bounded = shape, bounded
        self.net = _Modulated((latent, *hidden, prod(shape)), slope)

    def forward(self, z: Tensor, log_lam: Tensor) -> Tensor:
        """Samples of z at λ."""
        raw: Tensor = self.net(z, log_lam)
        out = torch.tanh(raw) if self.bounded else raw
        return out.reshape(*out.shape[:-1], *self.shape)


class LamCritic(nn.Module):
    """Raw logits (n, 1) of data (n, *shape) at log λ (n,)."""

    def __init__(self, shape: tuple[int, ...], hidden: Sequence[int]) -> None:
        super().__init__()
        self.dims = len(shape)
        self.net = _Modulated((prod(shape), *hidden, 1), slope=0.2)

    def forward(self, x: Tensor, log_lam: Tensor) -> Tensor:
        """Logits at λ."""
        out: Tensor = self.net(x.flatten(-self.dims), log_lam)
        return out
