"""Whether a set of image files is held in memory or read as training goes on: as asked, or by its size."""

from __future__ import annotations

import logging
import math
import os
from pathlib import Path
from typing import Literal

import torch

from trainables.sources.image_files import FilePart
from trainables.sources.image_source import ImageSource
from trainables.sources.source import Batch, Source
from trainables.sources.streamed import StreamedSource

__all__ = ["fits", "free_memory", "source_of_files"]

log = logging.getLogger(__name__)

MOST_BYTES = 8 << 30
"""Larger sets are read from their files."""

_CGROUP = Path("/sys/fs/cgroup")
_MEMINFO = Path("/proc/meminfo")


def source_of_files(
    seen: FilePart,
    unseen: FilePart,
    names: tuple[str, ...] | None,
    held: Literal["auto", "memory", "stream"],
    workers: int | None = None,
) -> Source:
    """The source of two parts of files. Which kind it is changes no number that is drawn."""
    size = (len(seen.files) + len(unseen.files)) * math.prod(seen.files.shape)
    if held == "stream" or (held == "auto" and not fits(size)):
        return StreamedSource(seen, unseen, names, workers)
    log.info("reading %d images into memory, %d bytes", len(seen.files) + len(unseen.files), size)
    return ImageSource(_read(seen), _read(unseen), names)


def _read(part: FilePart) -> Batch:
    return Batch(torch.from_numpy(part.files.read_all()), part.labels)


def fits(size: int) -> bool:
    """Whether so many bytes are at most 8 GiB, and at most half of the memory that is free."""
    free = free_memory()
    return size <= MOST_BYTES and (free is None or size <= free / 2)


def free_memory() -> int | None:
    """Bytes this process may still take, by the machine and by its container; None where nobody tells."""
    found = [free for free in (_machine(), _container()) if free is not None]
    return min(found, default=None)


def _machine() -> int | None:
    try:
        fields = dict(line.split(":", 1) for line in _MEMINFO.read_text(encoding="ascii").splitlines())
        return int(fields["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _container() -> int | None:
    try:
        limit, used = (
            (_CGROUP / f"memory.{name}").read_text(encoding="ascii") for name in ("max", "current")
        )
        return max(0, int(limit) - int(used))
    except (OSError, ValueError):  # no container, or one without a limit, which is written "max"
        return None
