"""A finite set of samples held in memory, a part of it kept from training."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from trainables.randomness import Noise, Stream
from trainables.sources.digest import digest_of_parts
from trainables.sources.positions import positions
from trainables.sources.source import Batch, Source
from trainables.sources.split import split

__all__ = ["ArraySource"]


class ArraySource(Source):
    """Batches drawn with replacement from the training part; measures are taken against the other part.

    The parts are a split of ``samples`` by a shuffle of its own, the same on every machine.
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
        seen, unseen = split(len(x), held_out)
        if not bool(torch.isfinite(x).all()):
            raise ValueError("samples must be finite, but some hold NaN or infinity; remove them")
        y = None if labels is None else torch.as_tensor(labels).long()
        if y is not None and (y.shape != (len(x),) or int(y.min()) < 0):
            raise ValueError(
                f"labels must be one whole number 0, 1, … per sample, got shape {tuple(y.shape)} for {len(x)} samples"
            )
        self.shape = tuple(x.shape[1:])
        self.classes = None if y is None else int(y.max()) + 1
        self.span = span
        self._unseen = Batch(x[unseen], None if y is None else y[unseen])
        self._seen = Batch(x[seen], None if y is None else y[seen])

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
        x, y = self._part(stream)
        index = positions(noise, stream, step, count, len(x))
        return Batch(x[index], None if y is None else y[index])

    def labels(self, noise: Noise, stream: Stream, step: Tensor | int, count: int) -> Tensor | None:
        """The classes alone."""
        x, y = self._part(stream)
        return None if y is None else y[positions(noise, stream, step, count, len(x))]

    def digest(self) -> str:
        """Of all samples and their classes, both parts; a second for some GB."""
        return digest_of_parts((self._seen, self._unseen))

    @property
    def held_out(self) -> int:
        """How many samples are held out."""
        return len(self._unseen.x)

    @property
    def seen(self) -> Tensor:
        """(n, *shape) the samples to train on, in the order of the shuffle."""
        return self._seen.x

    def _part(self, stream: Stream) -> Batch:
        return self._unseen if stream is Stream.UNSEEN else self._seen

    def reference(self, count: int) -> Batch:
        """The first ``count`` of those held out."""
        x, y = self._unseen
        if count > len(x):
            raise ValueError(
                f"evaluation.samples must be at most the {len(x)} samples held out from training, got {count}; "
                "use fewer"
            )
        return Batch(x[:count].cpu(), None if y is None else y[:count].cpu())

    def labelled(self, count: int) -> Batch | None:
        """The first ``count`` of the training part, in the order of the shuffle."""
        x, y = self._seen
        return None if y is None else Batch(x[:count].cpu(), y[:count].cpu())
