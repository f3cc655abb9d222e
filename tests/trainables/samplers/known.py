"""A model of which all is known: Q = N(0, 1)^d, P = N(μ, 1)^d, log r = a·(μ·x - ‖μ‖²/2)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import torch
from torch import Tensor

from trainables.randomness import Noise, Stream, hashed_normals
from trainables.refinements.draws import Block
from trainables.safetensors import Array
from trainables.samplers.pool import Pool
from trainables.samplers.steps import BLOCK

__all__ = ["Known"]


class Known:
    """Its ratio is told wrongly by a factor ``slope``, and not at all where that is 0."""

    def __init__(self, mean: tuple[float, ...] = (1.0,), slope: float = 1.0) -> None:
        self.mean, self.slope = torch.tensor(mean), slope
        self.shape = (len(mean),)

    def exact(self, x: Tensor) -> Tensor:
        """Log p/q at x (…, d)."""
        return x @ self.mean - self.mean.square().sum() / 2

    def log_ratio_at(self, points: Tensor, classes: Tensor | None = None) -> Tensor:
        return self.slope * self.exact(points)

    def real(self, size: int, seed: int = 100) -> Tensor:
        """Points of P."""
        return self.mean + torch.randn(size, len(self.mean), generator=torch.Generator().manual_seed(seed))

    def pools(self, seed: int, first: int = 0) -> Iterator[Pool]:
        noise = Noise(torch.tensor([seed]))
        for at in count(first):
            latent = noise.normal(Stream.POOL, at, BLOCK, *self.shape)
            uniform = noise.uniform(Stream.ACCEPT, at, BLOCK)[0]
            ratio = self.log_ratio_at(latent[0]) if self.slope else None
            yield Pool(latent[0], ratio, uniform, None, self._block(noise.keys(Stream.MOVE, at), latent))

    def _block(self, keys: Tensor, latent: Tensor) -> Block:
        def normal(step: int) -> Tensor:
            return hashed_normals(keys + step, tuple(latent.shape[1:]))

        return Block(latent, latent, lambda z: z, self.log_ratio_at, normal)

    def shown(self, points: Tensor) -> Array:
        return points.numpy()
