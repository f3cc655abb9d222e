"""A model with another ratio in place of its own, or with one where it has none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor

from trainables.refinements.draws import Block
from trainables.safetensors import Array
from trainables.samplers.pool import Drawable, Pool
from trainables.samplers.steps import parts, step_of

__all__ = ["with_ratio"]


class _WithRatio:
    """A model whose ratio is replaced."""

    def __init__(self, model: Drawable, log_ratio: Callable[[Tensor], Tensor]) -> None:
        self._model, self._log_ratio = model, log_ratio
        self._step = step_of(model.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._model.shape

    @torch.no_grad()
    def pools(self, seed: int, first: int = 0) -> Iterator[Pool]:
        for pool in self._model.pools(seed, first):
            block = pool.block and self._block(pool.block)
            yield replace(pool, made=partial(_points, pool), scored=partial(self._scored, pool), block=block)

    def _scored(self, pool: Pool) -> Tensor:
        return self.log_ratio_at(pool.points)

    def _block(self, block: Block) -> Block:
        return replace(block, log_ratio=lambda x: torch.stack([self.log_ratio_at(own) for own in x]))

    def log_ratio_at(self, points: Tensor, classes: Tensor | None = None) -> Tensor:
        """As ``Scoring``; the classes change nothing."""
        if tuple(points.shape[1:]) != self.shape:
            raise ValueError(f"points must be samples of shape {self.shape}, got {tuple(points.shape[1:])}")
        return torch.cat([self._log_ratio(points[part]) for part in parts(len(points), self._step)])

    def shown(self, points: Tensor) -> Array:
        return self._model.shown(points)


def _points(pool: Pool) -> Tensor:
    return pool.points


def with_ratio(model: Drawable, log_ratio: Callable[[Tensor], Tensor]) -> Drawable:
    """The same draws with log r by ``log_ratio``: points (m, *shape) → (m,), through which gradients flow.

    It is called on at most ``step_of(shape)`` samples at a time.
    """
    return _WithRatio(model, log_ratio)
