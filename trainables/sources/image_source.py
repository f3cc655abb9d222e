"""Images held in memory at one byte a pixel, turned into numbers in [-1, 1] when they are drawn."""

from __future__ import annotations

import torch
from torch import Tensor

from trainables.randomness import Noise, Stream
from trainables.sources.digest import digest_of_parts
from trainables.sources.positions import positions
from trainables.sources.source import Batch, Source
from trainables.sources.split import shuffled

__all__ = ["ImageSource", "bytes_to_span"]


def bytes_to_span(images: Tensor) -> Tensor:
    """Bytes 0 … 255 as float32 in [-1, 1]: x/127.5 - 1.

    Computed as (x - 127.5) · (1/127.5): the difference is exact, and one rounding is left, the same on every device.
    """
    return (images.float() - 127.5) * (1 / 127.5)


class ImageSource(Source):
    """Batches drawn with replacement from the training part; measures are taken against the other part.

    The part held out is shuffled once, the same on every machine, since files are often in an order of their own.
    """

    span = (-1.0, 1.0)

    def __init__(
        self, seen: Batch, unseen: Batch, names: tuple[str, ...] | None = None, levels: int = 256
    ) -> None:
        """Parts with x (N, c, h, w) as bytes, y (N,) in 0 … or None; ``names`` of the classes; ``levels`` of grey."""
        for x, y in (seen, unseen):
            _check(x, y, seen)
        self.shape = tuple(seen.x.shape[1:])
        self.classes, self.classes_names = _count(seen, unseen, names), names
        self.quantum = 2 / (levels - 1)
        order = shuffled(len(unseen.x))
        self._seen = Batch(seen.x, None if seen.y is None else seen.y.long())
        self._unseen = Batch(unseen.x[order], None if unseen.y is None else unseen.y.long()[order])

    def to(self, device: torch.device | str) -> ImageSource:
        """The same images on a device."""
        moved = object.__new__(ImageSource)
        moved.shape, moved.quantum = self.shape, self.quantum
        moved.classes, moved.classes_names = self.classes, self.classes_names
        for part in ("_seen", "_unseen"):
            x, y = getattr(self, part)
            setattr(moved, part, Batch(x.to(device), None if y is None else y.to(device)))
        return moved

    def draw(self, noise: Noise, stream: Stream, step: Tensor | int, count: int) -> Batch:
        """Images chosen by uniforms; those of ``UNSEEN`` from the part that is held out."""
        x, y = self._part(stream)
        index = positions(noise, stream, step, count, len(x))
        return Batch(bytes_to_span(x[index]), None if y is None else y[index])

    def labels(self, noise: Noise, stream: Stream, step: Tensor | int, count: int) -> Tensor | None:
        """The classes alone."""
        x, y = self._part(stream)
        return None if y is None else y[positions(noise, stream, step, count, len(x))]

    def reference(self, count: int) -> Batch:
        """The first ``count`` of those held out, in the order of their shuffle."""
        x, y = self._unseen
        if count > len(x):
            raise ValueError(
                f"evaluation.samples must be at most the {len(x)} samples held out from training, got {count}; "
                "use fewer"
            )
        return Batch(bytes_to_span(x[:count].cpu()), None if y is None else y[:count].cpu())

    def labelled(self, count: int) -> Batch | None:
        """``count`` of the training part, in the order of a shuffle."""
        x, y = self._seen
        if y is None:
            return None
        order = shuffled(len(x))[:count].to(x.device)
        return Batch(bytes_to_span(x[order].cpu()), y[order].cpu())

    def digest(self) -> str:
        """Of all samples and their classes, both parts; a second for some GB."""
        return digest_of_parts((self._seen, self._unseen))

    def _part(self, stream: Stream) -> Batch:
        return self._unseen if stream is Stream.UNSEEN else self._seen


def _check(x: Tensor, y: Tensor | None, first: Batch) -> None:
    if x.dtype != torch.uint8 or x.ndim != 4 or len(x) == 0 or x.shape[1:] != first.x.shape[1:]:
        raise ValueError(
            f"images must be bytes (N, c, h, w), N ≥ 1, of one shape in both parts, got {x.dtype} {tuple(x.shape)}"
        )
    if (y is None) != (first.y is None) or (y is not None and (y.shape != x.shape[:1] or int(y.min()) < 0)):
        shape = None if y is None else tuple(y.shape)
        raise ValueError(
            f"labels must be one whole number 0, 1, … per image, in both parts or in none, got shape {shape} for "
            f"{len(x)} images"
        )


def _count(seen: Batch, unseen: Batch, names: tuple[str, ...] | None) -> int | None:
    """How many classes there are: as many as names, or as the labels say."""
    if seen.y is None or unseen.y is None:
        return None
    largest = int(max(seen.y.max(), unseen.y.max())) + 1
    if names is not None and largest > len(names):
        raise ValueError(f"labels must be below the number of classes, {len(names)}, got {largest - 1}")
    return largest if names is None else len(names)
