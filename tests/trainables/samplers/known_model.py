"""A model of which all is known, as one that is drawn from: Q = N(0, 1)^d made of its latents, and P = N(m, 1)^d."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from trainables.refinements.draws import Block
from trainables.safetensors import Array
from trainables.samplers.pool import Pool

__all__ = ["Known", "of_ratios"]


class Known:
    """Draws of every seed, in blocks of any size, with their calls counted.

    Attributes:
        generated: points that the generator made, all blocks counted; ``scored``: points the ratio was asked at.
        gradients: points at which a gradient was taken; ``blocks``: how many were made.
        ratio: log p/q, (…, d) → (…).
    """

    def __init__(
        self,
        block: int = 256,
        mean: float = 1.0,
        numbers: int = 1,
        classes: int | None = None,
        draws: int | None = None,
        ratio: Callable[[Tensor], Tensor] | None = None,
    ) -> None:
        """``draws``: how many there are, without end if left out."""
        self.shape = (numbers,)
        self.ratio = ratio or (lambda x: (mean * x - 0.5 * mean**2).sum(-1))
        self.generated = self.scored = self.gradients = self.blocks = 0
        self._block, self._classes, self._draws = block, classes, draws

    def pools(self, seed: int, first: int = 0) -> Iterator[Pool]:
        """Draw i is the same in blocks of any size."""
        generator = torch.Generator().manual_seed(seed)
        made = 0
        while self._draws is None or made < self._draws:
            size = self._block if self._draws is None else min(self._block, self._draws - made)
            random = torch.rand(size, self.shape[0] + 2, generator=generator)
            made += size
            if made <= first * self._block:
                continue
            self.blocks += 1
            latent = torch.special.ndtri(random[None, :, 2:].double().clamp(1e-7, 1 - 1e-7)).float()
            block = self._block_of(latent, self._normal(seed, made))
            classes = None if self._classes is None else (random[:, 1] * self._classes).long()
            yield Pool(
                lambda block=block: block.points[0],  # type: ignore[misc]
                lambda block=block: block.log_ratio(block.points)[0],  # type: ignore[misc]
                1 - random[:, 0],
                classes,
                block,
            )

    def _block_of(self, latent: Tensor, normal: Callable[[int], Tensor]) -> Block:
        return Block(latent, lambda: self._generate(latent), self._generate, self._score, normal)

    def shown(self, points: Tensor) -> Array:
        """As they are."""
        return points.numpy()

    def _generate(self, z: Tensor) -> Tensor:
        self.generated += z.shape[1]
        return 1.0 * z

    def _score(self, x: Tensor) -> Tensor:
        self.scored += x.shape[1]
        found = self.ratio(x)
        if found.requires_grad:
            found.register_hook(self._pulled)
        return found

    def _pulled(self, gradient: Tensor) -> None:
        self.gradients += gradient.shape[1]

    def _normal(self, seed: int, made: int) -> Callable[[int], Tensor]:
        def normal(step: int) -> Tensor:
            own = torch.Generator().manual_seed(1_000_003 * seed + 1009 * made + step)
            return torch.randn(1, self._block, *self.shape, generator=own)

        return normal


class _Given:
    """Draws that are at hand, of which only their ratios are known."""

    def __init__(self, log_ratio: Tensor, block: int) -> None:
        self.shape: tuple[int, ...] = (1,)
        self._log_ratio, self._block = log_ratio, block

    def pools(self, seed: int, first: int = 0) -> Iterator[Pool]:
        """All draws once."""
        count = len(self._log_ratio)
        uniform = 1 - torch.rand(count, generator=torch.Generator().manual_seed(seed))
        points = torch.arange(count, dtype=torch.float32)[:, None]
        for start in range(first * self._block, count, self._block):
            part = slice(start, start + self._block)
            yield Pool(points[part], self._log_ratio[part], uniform[part])

    def shown(self, points: Tensor) -> Array:
        """As they are."""
        return points.numpy()


def of_ratios(log_ratio: Tensor, block: int = 256) -> _Given:
    """Draws 0, 1, 2, … with these log ratios; the uniforms that decide are those of a seed."""
    return _Given(log_ratio, block)
