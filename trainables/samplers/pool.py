"""What refined samples are drawn from: any model that gives draws block by block, with what is known of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from trainables.refinements.draws import Block
from trainables.safetensors import Array

__all__ = ["Drawable", "Pool", "Scoring", "calibrated", "log_ratio_at"]


@dataclass(frozen=True, eq=False)
class Pool:
    """A block of draws of one model.

    Attributes:
        made: (m, *shape) the draws, or what makes them once they are asked for.
        scored: (m,) log p/q up to a constant, where it is known, or what finds it once it is asked for.
        uniform: (m,) numbers in (0, 1] that decide what is kept.
        classes: (m,) of the draws, where they are made for one.
        block: how to draw elsewhere, where the model can be called; a stack of one.
    """

    made: Tensor | Callable[[], Tensor]
    scored: Tensor | Callable[[], Tensor] | None
    uniform: Tensor
    classes: Tensor | None = None
    block: Block | None = None

    @cached_property
    def points(self) -> Tensor:
        """(m, *shape) the draws."""
        return _now(self.made)

    @cached_property
    def log_ratio(self) -> Tensor | None:
        """(m,) log p/q at the draws; None where it is not known. Who does not ask for it costs no calls for it."""
        return None if self.scored is None else _now(self.scored)


def _now(told: Tensor | Callable[[], Tensor]) -> Tensor:
    if isinstance(told, Tensor):
        return told
    with torch.no_grad():
        return told()


class Drawable(Protocol):
    """One model that draws are asked of."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one sample."""
        ...

    def pools(self, seed: int, first: int = 0) -> Iterator[Pool]:
        """The draws of a seed, block by block, from block ``first`` on; without end, unless draws are given.

        Equal seeds give equal draws. O(block) memory.
        """
        ...

    def shown(self, points: Tensor) -> Array:
        """Points (n, *shape) as they are given away: images as bytes."""
        ...


@runtime_checkable
class Scoring(Protocol):
    """What a model may be able to besides: it tells its ratio at given points."""

    def log_ratio_at(self, points: Tensor, classes: Tensor | None = None) -> Tensor:
        """(m,) log r at points (m, *shape), of classes (m,) where samples are made for one; gradients flow through it.

        Up to the constant that log r of draws has.
        """
        ...


def log_ratio_at(model: Drawable, points: Tensor, classes: Tensor | None = None) -> Tensor:
    """Log r of a model at points, as ``Scoring`` has it; ValueError where only that of its draws is known."""
    if not isinstance(model, Scoring):
        raise ValueError(
            "the ratio at given points needs a critic, and of this model only draws with their scores are known; give "
            "the scores of those points, or fit a classifier to them"
        )
    return model.log_ratio_at(points, classes)


class _Calibrated:
    """A model whose ratio is corrected."""

    def __init__(self, model: Drawable, corrected: Callable[[Tensor], Tensor]) -> None:
        self._model, self._corrected = model, corrected

    @property
    def shape(self) -> tuple[int, ...]:
        return self._model.shape

    def pools(self, seed: int, first: int = 0) -> Iterator[Pool]:
        for pool in self._model.pools(seed, first):
            scored = None if pool.scored is None else partial(self._scored, pool)
            yield replace(
                pool, made=partial(_points, pool), scored=scored, block=pool.block and self._block(pool.block)
            )

    def _scored(self, pool: Pool) -> Tensor:
        assert pool.log_ratio is not None
        return self._corrected(pool.log_ratio[None])[0]

    def _block(self, block: Block) -> Block:
        return replace(block, log_ratio=lambda x: self._corrected(block.log_ratio(x)))

    def log_ratio_at(self, points: Tensor, classes: Tensor | None = None) -> Tensor:
        return self._corrected(log_ratio_at(self._model, points, classes)[None])[0]

    def shown(self, points: Tensor) -> Array:
        return self._model.shown(points)


def _points(pool: Pool) -> Tensor:
    return pool.points


def calibrated(model: Drawable, corrected: Callable[[Tensor], Tensor]) -> Drawable:
    """The same model with log r corrected by a rising map, (1, m) → (1, m), through which gradients flow."""
    return _Calibrated(model, corrected)
