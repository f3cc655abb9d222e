"""Real batches of data that is read from files: at fixed places on the device before each iteration begins.

Files cannot be read inside a CUDA graph. What every iteration asks for is known beforehand, so it is read ahead by
``Source.stream``, and an iteration finds its batches where the one before had its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

import torch
from torch import Tensor

from trainables.config import TrainingConfig
from trainables.randomness import Stream
from trainables.sources.source import Batch, Request, Source

__all__ = ["Feed", "asked"]


def asked(training: TrainingConfig, density: bool, iteration: int) -> list[Request]:
    """What an iteration draws, in order: a batch a critic step, then one for the likelihood of models with a density.

    Iterations in which the critic is trained alone have no likelihood.
    """
    batch, steps = training.batch_size, training.critic_steps
    found = [Request(Stream.REAL, iteration * steps + inner, batch) for inner in range(steps)]
    if density and iteration >= training.critic_first:
        found.append(Request(Stream.LIKELIHOOD, iteration, batch))
    return found


def _ahead(training: TrainingConfig, density: bool, start: int) -> Iterator[Request]:
    """Of all iterations from ``start`` on; no method of the feed, which would keep that alive."""
    for iteration in count(start):
        yield from asked(training, density, iteration)


class Feed:
    """The batches of one population, iteration by iteration, the same that ``Source.draw`` would give.

    Nothing is read before the first :meth:`load`. :meth:`close` ends the workers, and so does the end of the feed
    itself; a feed that was closed goes on where it stopped.
    """

    def __init__(
        self,
        source: Source,
        seeds: Sequence[int],
        training: TrainingConfig,
        density: bool,
        iteration: int,
        device: torch.device,
    ) -> None:
        """``iteration``: the first to be loaded."""
        self._source, self._seeds = source, tuple(seeds)
        self._training, self._density = training, density
        self._at, self._device = iteration, device
        self._stream: Iterator[Batch] | None = None
        self._places: dict[tuple[Stream, int], tuple[_Place, _Place | None]] = {}
        self._sent = [torch.cuda.Event() for _ in range(2)] if device.type == "cuda" else []

    def load(self) -> None:
        """Bring the batches of the next iteration to their places; on a card, in its stream, without waiting for it."""
        turn = self._at % 2
        for event in self._sent[turn : turn + 1]:
            event.synchronize()  # what this turn's pinned memory held has left it
        try:
            self._load(turn)
        except BaseException:
            self.close()
            raise
        for event in self._sent[turn : turn + 1]:
            event.record()
        self._at += 1

    def _load(self, turn: int) -> None:
        if self._stream is None:
            ahead = _ahead(self._training, self._density, self._at)
            self._stream = self._source.stream(self._seeds, ahead)
        seen: dict[Stream, int] = {}
        for request in asked(self._training, self._density, self._at):
            inner = seen[request.stream] = seen.get(request.stream, -1) + 1
            self._put((request.stream, inner), next(self._stream), turn)

    def _put(self, key: tuple[Stream, int], batch: Batch, turn: int) -> None:
        if key not in self._places:
            y = None if batch.y is None else _Place(batch.y, self._device)
            self._places[key] = (_Place(batch.x, self._device), y)
        for place, values in zip(self._places[key], batch, strict=True):
            if place is not None and values is not None:
                place.fill(values, turn)

    def batch(self, stream: Stream, inner: int = 0) -> Batch:
        """The ``inner``-th batch of a stream in the iteration that was loaded last, always at the same address."""
        x, y = self._places[stream, inner]
        return Batch(x.values, None if y is None else y.values)

    def close(self) -> None:
        """End what reads ahead."""
        stream, self._stream = self._stream, None
        close = getattr(stream, "close", None)  # a generator has it, another iterator need not
        if close is not None:
            close()


class _Place:
    """A tensor on the device; a card is sent one half of pinned memory while the other is filled."""

    def __init__(self, example: Tensor, device: torch.device) -> None:
        self.values = torch.empty_like(example, device=device)
        pinned = 2 if device.type == "cuda" else 0
        self._pinned = [torch.empty_like(example, pin_memory=True) for _ in range(pinned)]

    def fill(self, values: Tensor, turn: int) -> None:
        """Take over values that lie on the CPU."""
        sent = self._pinned[turn].copy_(values) if self._pinned else values
        self.values.copy_(sent, non_blocking=True)
