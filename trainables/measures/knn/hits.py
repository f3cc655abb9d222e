"""Entries of a tile below the limit of their row or of their column, as a short list.

Near pairs are rare, so a tile is read once by two comparisons, and all that follows touches only what they found.
"""

from __future__ import annotations

import threading

import numpy as np
import torch
from torch import Tensor

__all__ = ["Bench", "hits", "places"]


class Bench(threading.local):
    """Memory for a tile and its masks that every thread keeps for its next tile: fresh pages cost more than a pass."""

    def __init__(self) -> None:
        self._tile = torch.empty(0)
        self._masks = np.empty((2, 0), dtype=np.bool_)

    def product(self, left: Tensor, right: Tensor) -> Tensor:
        """``left`` (n, w) times ``right`` (w, m) → (n, m), valid until the thread's next product."""
        size = len(left) * right.shape[1]
        if self._tile.numel() < size or self._tile.device != left.device:
            self._tile = torch.empty(size, device=left.device)
        return torch.mm(left, right, out=self._tile[:size].view(len(left), -1))

    def masks(self, n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
        """Two arrays (n, m) of booleans, valid until the thread's next masks."""
        if self._masks.shape[1] < n * m:
            self._masks = np.empty((2, n * m), dtype=np.bool_)
        return self._masks[0, : n * m].reshape(n, m), self._masks[1, : n * m].reshape(n, m)


def hits(tile: Tensor, row_limits: Tensor, column_limits: Tensor, bench: Bench) -> Tensor:
    """Flat indices, ascending, of the entries of ``tile`` (n, m) with a < row_limits_i or a < column_limits_j.

    O(nm) comparisons and 2nm bytes; 8 bytes per hit. On a CPU by NumPy, whose comparisons and search of a sparse mask
    are faster on one thread than torch's.
    """
    if tile.device.type != "cpu":
        return ((tile < row_limits[:, None]) | (tile < column_limits)).flatten().nonzero().flatten()
    array = tile.numpy()
    mask, other = bench.masks(*array.shape)
    np.less(array, row_limits.numpy()[:, None], out=mask)
    np.less(array, column_limits.numpy(), out=other)
    mask |= other
    return torch.from_numpy(np.flatnonzero(mask))


def places(tile: Tensor, flat: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Rows, columns and values of the entries of ``tile`` (n, m) at flat indices."""
    rows = flat.div(tile.shape[1], rounding_mode="floor")
    return rows, flat - rows * tile.shape[1], tile.flatten()[flat]
