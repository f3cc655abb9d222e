"""Data as a source of batches: pure in (seed, step), safe in a CUDA graph unless it is read from files as it goes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from trainables.randomness import Noise, Stream
from trainables.sources.law import Law

__all__ = ["Batch", "Request", "Source"]

_LABELLED_SEED = 20240602
"""Of the samples that features learn from, whatever the trial."""


class Batch(NamedTuple):
    """Points x (…, n, *shape) and, where the data has them, classes y (…, n)."""

    x: Tensor
    y: Tensor | None = None


class Request(NamedTuple):
    """One draw that will be asked for: its stream, its step, and how many samples each trial gets."""

    stream: Stream
    step: int
    count: int  # type: ignore[assignment]  # tuples have a method of that name


class Source(ABC):
    """Where real samples come from.

    Attributes:
        shape: of one sample, without the batch.
        classes: number of classes, if samples are labelled.
        classes_names: what they are called, where that is known.
        law: the exact law behind the samples, only where it is known.
        span: least and greatest value of a sample, where there are such (images): what black and white are.
        quantum: distance of two neighbouring grey levels, in units of the data; None for continuous data.
        streamed: whether draws read files: then they cannot be captured in a CUDA graph, and ``stream`` reads ahead.
    """

    shape: tuple[int, ...]
    classes: int | None = None
    classes_names: tuple[str, ...] | None = None
    law: Law | None = None
    span: tuple[float, float] | None = None
    quantum: float | None = None
    streamed: bool = False

    @abstractmethod
    def to(self, device: torch.device | str) -> Source:
        """The same source with its tensors on a device."""

    @abstractmethod
    def draw(self, noise: Noise, stream: Stream, step: Tensor | int, count: int) -> Batch:
        """``count`` samples for each of the T trials of ``noise``: x (T, count, *shape), y (T, count).

        The stream ``UNSEEN`` gives samples that training never sees. ``step`` may be a tensor on the device: nothing
        here may depend on its value in Python.
        """

    @abstractmethod
    def reference(self, count: int) -> Batch:
        """``count`` distinct samples that training never sees, the same at every call: the real side of measures."""

    def labelled(self, count: int) -> Batch | None:
        """At most ``count`` samples (n, *shape) of the training part with their classes (n,), on the CPU.

        What features that learn are trained on, the same at every call. Here drawn as batches are, so that one may
        come twice; sources that hold their samples give distinct ones. None where samples have no classes.
        """
        if self.classes is None:
            return None
        x, y = self.to("cpu").draw(Noise(torch.tensor([_LABELLED_SEED])), Stream.REAL, 0, count)
        return None if y is None else Batch(x[0], y[0])

    def digest(self) -> str | None:
        """Hex digits that change whenever some sample does; None of what is drawn afresh, which its fields tell."""
        return None

    def labels(self, noise: Noise, stream: Stream, step: Tensor | int, count: int) -> Tensor | None:
        """The classes (T, count) of ``draw`` alone; sources that can tell them without samples do so."""
        return self.draw(noise, stream, step, count).y

    def stream(self, seeds: Sequence[int], requests: Iterator[Request]) -> Iterator[Batch]:
        """For each request what ``draw`` gives to trials of these seeds, on the CPU and in order.

        Requests may be taken some batches ahead. Closing the iterator ends what it began.
        """
        source, noise = self.to("cpu"), Noise(torch.tensor(seeds))
        for request in requests:
            yield source.draw(noise, *request)
