"""Memory for the large arrays of the engine, straight from the system and back to it.

An allocator keeps what is freed for its own thread's next wish: among 16 threads as much as all their tiles, long after
the last of them. Or it gives back and asks anew with every array, where threads wait for each other. What is mapped is
given back when its last array goes, begins at a page, and may lie on huge pages.
"""

from __future__ import annotations

import ctypes
import math
import mmap
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import cast

import numpy as np
import torch
from torch import Tensor

__all__ = ["Scratch", "give_back", "mapped", "room"]

_HUGE_PAGES = getattr(mmap, "MADV_HUGEPAGE", None)  # Linux


def room(count: int, device: torch.device) -> Tensor:
    """A flat array of ``count`` float32, with anything in it."""
    if device.type != "cpu" or not count:
        return torch.empty(count, device=device)
    return torch.from_numpy(mapped((count,), np.float32))


def mapped(shape: tuple[int, ...], dtype: type[np.generic] | np.dtype) -> np.ndarray:
    """An array, not empty, with anything in it."""
    numbers = math.prod(shape)
    # Private: pages that could be shared with another process are small ones.
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    pages = mmap.mmap(-1, numbers * np.dtype(dtype).itemsize, flags=private)
    if _HUGE_PAGES is not None:
        pages.madvise(_HUGE_PAGES)
    return np.frombuffer(pages, dtype).reshape(shape)


class Scratch(threading.local):
    """Memory that every thread keeps for its next use, until this is forgotten: fresh pages cost more than a pass."""

    def __init__(self) -> None:
        self._memory = torch.empty(0)

    def floats(self, count: int, device: torch.device) -> Tensor:
        """A flat array of ``count`` float32 with anything in it, valid until the thread's next one."""
        self._reserve(count, device)
        return self._memory[:count]

    def doubles(self, count: int) -> np.ndarray:
        """The same of ``count`` float64, on a CPU."""
        return self.floats(2 * count, torch.device("cpu")).numpy().view(np.float64)

    def _reserve(self, count: int, device: torch.device) -> None:
        if self._memory.numel() < count or self._memory.device != device:
            self._forget()  # before more comes
            self._memory = room(count, device)

    def _forget(self) -> None:
        self._memory = torch.empty(0)


def give_back() -> None:
    """Give the system what allocators keep of the small arrays that were freed (with glibc; else nothing happens).

    Costs some milliseconds, so only large work is worth it.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@lru_cache(maxsize=1)
def _trim() -> Callable[[int], int] | None:
    try:
        return cast("Callable[[int], int]", ctypes.CDLL(None).malloc_trim)
    except (AttributeError, OSError, TypeError):  # another C library
        return None
