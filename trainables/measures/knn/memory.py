"""Memory for the large arrays of the engine, straight from the system and back to it.

An allocator keeps what is freed for its own thread's next wish: among 16 threads as much as all their tiles, long after
the last of them. What is mapped is given back when its last array goes, begins at a page, and may lie on huge pages.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable
from functools import lru_cache
from typing import cast

import numpy as np
import torch
from torch import Tensor

__all__ = ["give_back", "room", "room_for_masks"]

_HUGE_PAGES = getattr(mmap, "MADV_HUGEPAGE", None)  # Linux


def room(count: int, device: torch.device) -> Tensor:
    """A flat array of ``count`` float32, with anything in it."""
    if device.type != "cpu" or not count:
        return torch.empty(count, device=device)
    return torch.from_numpy(_mapped(count, np.dtype(np.float32)))


def room_for_masks(count: int) -> np.ndarray:
    """Two flat arrays of booleans → (2, count)."""
    return _mapped(2 * count, np.dtype(np.bool_)).reshape(2, count)


def _mapped(count: int, dtype: np.dtype) -> np.ndarray:
    pages = mmap.mmap(-1, count * dtype.itemsize)
    if _HUGE_PAGES is not None:
        pages.madvise(_HUGE_PAGES)
    return np.frombuffer(pages, dtype)


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
