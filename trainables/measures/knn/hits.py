"""Entries of a tile below the limit of their row or of their column, as a short list.

Near pairs are rare, so a tile is read once by two comparisons, and all that follows touches only what they found.
"""

from __future__ import annotations

import threading

import numpy as np
import torch
from torch import Tensor

from trainables.measures.knn.products import Panel, lower_bounds

__all__ = ["Bench", "hits", "places"]


_STRIP = (
    1 << 19
)  # entries compared at a time: bounds memory, and what a cache holds is read twice at the price of once


class Bench(threading.local):
    """Memory for a tile and its masks that every thread keeps for its next tile: fresh pages cost more than a pass."""

    def __init__(self) -> None:
        self._tile = torch.empty(0)
        self._masks = np.empty((2, 0), dtype=np.bool_)

    def tile(self, left: Panel, right: Panel) -> Tensor:
        """The lower bounds of two panels → (n, m), valid until the thread's next tile."""
        n, m = len(left.bounds), len(right.bounds)
        if self._tile.numel() < n * m or self._tile.device != left.bounds.device:
            self._tile = torch.empty(n * m, device=left.bounds.device)
        return lower_bounds(left, right, self._tile[: n * m].view(n, m))

    def masks(self, n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
        """Two arrays (n, m) of booleans, valid until the thread's next masks."""
        if self._masks.shape[1] < n * m:
            self._masks = np.empty((2, n * m), dtype=np.bool_)
        return self._masks[0, : n * m].reshape(n, m), self._masks[1, : n * m].reshape(n, m)


def hits(tile: Tensor, row_limits: Tensor, column_limits: Tensor, bench: Bench) -> Tensor:
    """Flat indices, ascending, of the entries of ``tile`` (n, m) with a < row_limits_i or a < column_limits_j.

    O(nm) comparisons; 8 bytes per hit. On a CPU by NumPy, whose comparisons and search of a sparse mask are faster on
    one thread than torch's, and strip by strip.
    """
    if tile.device.type != "cpu":
        return ((tile < row_limits[:, None]) | (tile < column_limits)).flatten().nonzero().flatten()
    array, rows, columns = tile.numpy(), row_limits.numpy()[:, None], column_limits.numpy()
    n, m = array.shape
    height = max(1, _STRIP // m)
    found = []
    for top in range(0, n, height):
        strip = array[top : top + height]
        mask, other = bench.masks(*strip.shape)
        np.less(strip, rows[top : top + height], out=mask)
        np.less(strip, columns, out=other)
        mask |= other
        found.append(np.flatnonzero(mask) + top * m)
    return torch.from_numpy(np.concatenate(found))


def places(tile: Tensor, flat: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Rows, columns and values of the entries of ``tile`` (n, m) at flat indices."""
    rows = flat.div(tile.shape[1], rounding_mode="floor")
    return rows, flat - rows * tile.shape[1], tile.flatten()[flat]
