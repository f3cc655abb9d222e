"""Samples that were drawn and scored elsewhere, as a model that refined samples are chosen from."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Protocol

import torch
from torch import Tensor

from trainables.randomness import Noise, Stream
from trainables.safetensors import Array
from trainables.samplers.pool import Pool
from trainables.samplers.scales import Scale, check_scores, log_ratio_of
from trainables.samplers.steps import block_of
from trainables.spans import as_bytes, span_of

__all__ = ["Samples", "Scored"]

SEEN = 64
"""Samples by which black and white of images are found."""


class Samples(Protocol):
    """Samples in a file or a folder, read some at a time."""

    @property
    def name(self) -> str:
        """What sentences call them."""
        ...

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one sample."""
        ...

    def __len__(self) -> int: ...

    def blocks(self, size: int, first: int = 0) -> Iterator[Tensor]:
        """(size, *shape) in their order from the ``first``-th block on, the last one with what is left.

        Bytes of images, else float32. O(size) memory.
        """
        ...


class Scored:
    """Samples in the order in which they were given, each once, with their scores.

    Refinements take them for independent draws: an order that tells something, as of rising scores, is no such.

    Attributes:
        shape: of one sample.
        real: (R,) log r at held-out real points, where their scores were given: for ``calibrated_by``.
        span: what black and white are in samples that are images; None if they are none.
    """

    def __init__(
        self,
        samples: Samples,
        scores: Tensor,
        scale: Scale = "logit",
        classes: Tensor | None = None,
        real: Tensor | None = None,
    ) -> None:
        """``scores`` (N,), ``real`` (R,): on a ``scale``, up to a rising map; ``classes`` (N,) of the samples."""
        for whose, values in (("scores", scores), ("classes", classes)):
            if values is not None and tuple(values.shape) != (len(samples),):
                raise ValueError(
                    f"{samples.name} must have one of its {whose} for each of {len(samples):,} samples, got shape "
                    f"{tuple(values.shape)}"
                )
        if not len(samples):
            raise ValueError(f"{samples.name} must have samples, but has none")
        check_scores(scores, scale, f"scores of {samples.name}")
        self._samples, self._ratio, self._classes = samples, log_ratio_of(scores, scale), classes
        self.real: Tensor | None = None
        if real is not None:
            check_scores(real, scale, f"scores of real points of {samples.name}")
            self.real = log_ratio_of(real, scale)
        self.shape = samples.shape
        self._block = block_of(self.shape)
        self.span = span_of(next(samples.blocks(min(self._block, SEEN))))

    def __len__(self) -> int:
        return len(self._samples)

    def pools(self, seed: int, first: int = 0) -> Iterator[Pool]:
        """The same samples for any seed, until they come to an end; it decides who is kept of them."""
        noise = Noise(torch.tensor([seed]))
        for at, points in zip(count(first), self._samples.blocks(self._block, first), strict=False):
            part = slice(at * self._block, at * self._block + len(points))
            uniform = noise.uniform(Stream.ACCEPT, at, self._block)[0, : len(points)]
            classes = None if self._classes is None else self._classes[part]
            yield Pool(points, self._ratio[part], uniform, classes)

    def shown(self, points: Tensor) -> Array:
        """As they are, images as bytes."""
        return points.cpu().numpy() if self.span is None else as_bytes(points, self.span)
