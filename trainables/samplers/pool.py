"""What refined samples are drawn from: any model that gives draws block by block, with what is known of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from torch import Tensor

from trainables.refinements.draws import Block
from trainables.safetensors import Array

__all__ = ["Drawable", "Pool", "Scoring", "calibrated", "log_ratio_at"]


@dataclass(frozen=True, eq=False)
class Pool:
    """A block of draws of one model.

    Attributes:
        points: (m, *shape).
        log_ratio: (m,) log p/q up to a constant, where it is known.
        uniform: (m,) numbers in (0, 1] that decide what is kept.
        classes: (m,) of the draws, where they are made for one.
        block: how to draw elsewhere, where the model can be called; a stack of one.
    """

    points: Tensor
    log_ratio: Tensor | None
    uniform: Tensor
    classes: Tensor | None = None
    block: Block | None = None


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
            ratio = None if pool.log_ratio is None else self._corrected(pool.log_ratio[None])[0]
            yield replace(pool, log_ratio=ratio, block=pool.block and self._block(pool.block))

    def _block(self, block: Block) -> Block:
        return replace(block, log_ratio=lambda x: self._corrected(block.log_ratio(x)))

    def log_ratio_at(self, points: Tensor, classes: Tensor | None = None) -> Tensor:
        return self._corrected(log_ratio_at(self._model, points, classes)[None])[0]

    def shown(self, points: Tensor) -> Array:
        return self._model.shown(points)


def calibrated(model: Drawable, corrected: Callable[[Tensor], Tensor]) -> Drawable:
    """The same model with log r corrected by a rising map, (1, m) → (1, m), through which gradients flow."""
    return _Calibrated(model, corrected)
