"""Samples of a known law, fresh for every batch."""

from __future__ import annotations

import torch
from torch import Tensor

from trainables.randomness import Noise, Stream
from trainables.sources.law import Law
from trainables.sources.source import Batch, Source

__all__ = ["LawSource"]

_REFERENCE_SEED = 20240601
"""The seed of the real side of all measures; no trial has noise of this stream and seed."""


class LawSource(Source):
    """Never the same sample twice, so that there is nothing to hold out."""

    def __init__(self, law: Law) -> None:
        self.law: Law = law
        self.shape = law.shape

    def to(self, device: torch.device | str) -> LawSource:
        """The same law on a device."""
        return LawSource(self.law.to(device))

    def draw(self, noise: Noise, stream: Stream, step: Tensor | int, count: int) -> Batch:
        """Samples of the law."""
        return Batch(self.law.draw(noise, stream, step, count))

    def reference(self, count: int) -> Batch:
        """Samples of a seed of their own."""
        noise = Noise(torch.tensor([_REFERENCE_SEED]))
        return Batch(self.law.to("cpu").draw(noise, Stream.UNSEEN, 0, count)[0])
