"""A finite set of samples held in memory, a part of it kept from training."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from trainables.randomness import Noise, Stream
from trainables.sources.source import Batch, Source

__all__ = ["ArraySource"]


class ArraySource(Source):
    """Batches drawn with replacement from the training part; measures are taken against the other part.

    The parts are those given, or a split of ``samples`` by a shuffle of its own, the same on every machine.
    """

    def __init__(
        self,
        samples: Tensor | np.ndarray,
        labels: Tensor | np.ndarray | None = None,
        held_out: float = 0.2,
        span: tuple[float, float] | None = None,
    ) -> None:
        """``samples`` (N, *shape), ``labels`` (N,) with classes 0, 1, …; ``held_out``: the share kept from training."""
        x = torch.as_tensor(samples)
        x = (x[:, None] if x.ndim == 1 else x).float()
        if not 0 < held_out < 1 or int(len(x) * held_out) < 1 or int(len(x) * held_out) >= len(x):
            raise ValueError(
                f"held_out must leave samples on both sides, got {held_out} of {len(x)} samples; use 0.2"
            )
        if not bool(torch.isfinite(x).all()):
            raise ValueError("samples must be finite, but some hold NaN or infinity; remove them")
        y = None if labels is None else torch.as_tensor(labels).long()
        if y is not None and (y.shape != (len(x),) or int(y.min()) < 0):
            raise ValueError(
                f"labels must be one whole number 0, 1, … per sample, got shape {tuple(y.shape)} for {len(x)} samples"
            )
        order = torch.randperm(len(x), generator=torch.Generator().manual_seed(0))
        kept = int(len(x) * held_out)
        self.shape = tuple(x.shape[1:])
        self.classes = None if y is None else int(y.max()) + 1
        self.span = span
        self._unseen = Batch(x[order[:kept]], None if y is None else y[order[:kept]])
        self._seen = Batch(x[order[kept:]], None if y is None else y[order[kept:]])

    def to(self, device: torch.device | str) -> ArraySource:
        """The same samples on a device."""
        moved = object.__new__(ArraySource)
        moved.shape, moved.classes, moved.span = self.shape, self.classes, self.span
        for part in ("_seen", "_unseen"):
            x, y = getattr(self, part)
            setattr(moved, part, Batch(x.to(device), None if y is None else y.to(device)))
        return moved

    def draw(self, noise: Noise, stream: Stream, step: Tensor | int, count: int) -> Batch:
        """Samples chosen by uniforms; those of ``UNSEEN`` from the part that is held out."""
        x, y = self._unseen if stream is Stream.UNSEEN else self._seen
        index = (noise.uniform(stream, step, count) * len(x)).long().clamp(max=len(x) - 1)
        return Batch(x[index], None if y is None else y[index])

    def reference(self, count: int) -> Batch:
        """The first ``count`` of those held out."""
        x, y = self._unseen
        if count > len(x):
            raise ValueError(
                f"evaluation.samples must be at most the {len(x)} samples held out from training, got {count}"
            )
        return Batch(x[:count].cpu(), None if y is None else y[:count].cpu())

    def labelled(self, count: int) -> Batch | None:
        """The first ``count`` of the training part, in the order of the shuffle."""
        x, y = self._seen
        return None if y is None else Batch(x[:count].cpu(), y[:count].cpu())
