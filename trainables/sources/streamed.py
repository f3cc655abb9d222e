"""Images read from their files as training asks for them, by worker processes that read ahead."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from trainables.randomness import Noise, Stream
from trainables.sources.digest import digest_of_texts
from trainables.sources.image_files import FilePart, ImageFiles, cores
from trainables.sources.image_source import bytes_to_span
from trainables.sources.positions import positions
from trainables.sources.source import Batch, Request, Source
from trainables.sources.split import shuffled

__all__ = ["StreamedSource"]

MOST_WORKERS = 8
"""Where the number is left open."""


class StreamedSource(Source):
    """What ``ImageSource`` draws of the same images, with nothing but paths and labels in memory.

    ``draw`` reads files where it is called; ``stream`` has them read ahead by ``workers`` processes.
    """

    span = (-1.0, 1.0)
    quantum = 2 / 255
    streamed = True

    def __init__(
        self,
        seen: FilePart,
        unseen: FilePart,
        names: tuple[str, ...] | None = None,
        workers: int | None = None,
    ) -> None:
        """The parts to train on and to hold out; ``workers``: processes that read, 0 for none, left open: by cores."""
        order = shuffled(len(unseen.files))
        self.shape = seen.files.shape
        self.classes_names = names
        self.classes = None if names is None else len(names)
        self._seen = seen
        self._unseen = FilePart(
            unseen.files.chosen(order), None if unseen.labels is None else unseen.labels[order]
        )
        self._workers = min(cores() - 1, MOST_WORKERS) if workers is None else workers
        self._device = torch.device("cpu")

    def to(self, device: torch.device | str) -> StreamedSource:
        """The same files; what is drawn of them, and labels, on a device."""
        moved = object.__new__(StreamedSource)
        moved.__dict__.update(self.__dict__)
        moved._device = torch.device(device)
        for part in ("_seen", "_unseen"):
            files, labels = getattr(self, part)
            setattr(moved, part, FilePart(files, None if labels is None else labels.to(device)))
        return moved

    def draw(self, noise: Noise, stream: Stream, step: Tensor | int, count: int) -> Batch:
        """Images chosen as in ``ImageSource``, read here and now, by threads."""
        part = self._part(stream)
        index = positions(noise, stream, step, count, len(part.files))
        return self._batch(part, index, part.files.chosen(index.flatten()).read_all())

    def labels(self, noise: Noise, stream: Stream, step: Tensor | int, count: int) -> Tensor | None:
        """The classes alone; no file is read."""
        files, labels = self._part(stream)
        return None if labels is None else labels[positions(noise, stream, step, count, len(files))]

    def reference(self, count: int) -> Batch:
        """The first ``count`` of those held out, in the order of their shuffle."""
        files, labels = self._unseen
        if count > len(files):
            raise ValueError(
                f"evaluation.samples must be at most the {len(files)} samples held out from training, got {count}; "
                "use fewer"
            )
        x = bytes_to_span(torch.from_numpy(files.read_all(count)))
        return Batch(x, None if labels is None else labels[:count].cpu())

    def labelled(self, count: int) -> Batch | None:
        """``count`` of the training part, in the order of a shuffle."""
        files, labels = self._seen
        if labels is None:
            return None
        order = shuffled(len(files))[:count]
        x = bytes_to_span(torch.from_numpy(files.chosen(order).read_all()))
        return Batch(x, labels.cpu()[order])

    def stream(self, seeds: Sequence[int], requests: Iterator[Request]) -> Iterator[Batch]:
        """What ``draw`` would give for each request, on the CPU; workers read as many as two requests each ahead."""
        source, noise = self.to("cpu"), Noise(torch.tensor(seeds))
        asked: deque[tuple[FilePart, Tensor]] = deque()

        def jobs() -> Iterator[_Job]:
            for stream, step, count in requests:
                part = source._part(stream)
                index = positions(noise, stream, step, count, len(part.files))
                asked.append((part, index))
                yield _Job(stream is Stream.UNSEEN, index.flatten().tolist())

        read = iter(source._loader(jobs()))
        try:
            for found in read:
                if isinstance(found, str):
                    raise ValueError(found)
                yield source._batch(*asked.popleft(), found)
        finally:
            del read  # its end is the workers' end

    def _loader(self, jobs: Iterator[_Job]) -> DataLoader[Any]:
        # A daemon may have no children; torch's own generator is left alone.
        workers = 0 if multiprocessing.current_process().daemon else self._workers
        return DataLoader(
            _Reader(self._seen.files, self._unseen.files),
            batch_size=None,
            sampler=jobs,
            num_workers=workers,
            collate_fn=_unchanged,
            generator=torch.Generator(),
        )

    def digest(self) -> str:
        """Of the names and sizes of all files; what is in them is not read."""
        return digest_of_texts(line for part in (self._seen, self._unseen) for line in part.files.outline())

    def _part(self, stream: Stream) -> FilePart:
        return self._unseen if stream is Stream.UNSEEN else self._seen

    def _batch(self, part: FilePart, index: Tensor, pixels: np.ndarray) -> Batch:
        x = bytes_to_span(torch.from_numpy(pixels).to(self._device)).unflatten(0, tuple(index.shape))
        return Batch(x, None if part.labels is None else part.labels[index])


class _Job(NamedTuple):
    """Which files a worker reads for one request: of the part held out, or of the other."""

    unseen: bool
    positions: list[int]


class _Reader(Dataset[Any]):
    """What a worker does: pixels as bytes for a job, or a sentence if a file cannot be read.

    Arrays travel through pipes, not through shared memory, of which containers often have little.
    """

    def __init__(self, seen: ImageFiles, unseen: ImageFiles) -> None:
        self._seen, self._unseen = seen, unseen

    def __getitem__(self, job: _Job) -> np.ndarray | str:
        try:
            return (self._unseen if job.unseen else self._seen).read(job.positions)
        except ValueError as error:
            return str(error)


def _unchanged(found: Any) -> Any:
    return found
