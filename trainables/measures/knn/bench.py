"""Tiles of lower bounds, in memory that every thread keeps for its next one."""

from __future__ import annotations

import threading

import numpy as np
import torch
from torch import Tensor

from trainables.measures.knn.memory import mapped, room
from trainables.measures.knn.products import Panel, lower_bounds

__all__ = ["Bench"]


class Bench(threading.local):
    """Memory for a tile and its masks that every thread keeps for its next tile: fresh pages cost more than a pass."""

    def __init__(self) -> None:
        self._tile = torch.empty(0)
        self._masks = np.empty((2, 0), dtype=np.bool_)

    def tile(self, left: Panel, right: Panel) -> Tensor:
        """The lower bounds of two panels → (n, m), valid until the thread's next tile."""
        return lower_bounds(left, right, self._room(len(left), len(right), left.bounds.device))

    def square(self, panel: Panel) -> Tensor:
        """The lower bounds of a panel with itself → (n, n), infinite on the diagonal, valid until the next tile.

        Products are taken on and above the diagonal only, block by block; the rest mirrors them.
        """
        tile = self._room(len(panel), len(panel), panel.bounds.device)
        for (top, bottom), (first, last) in _triangle(0, len(panel)):
            block = lower_bounds(
                panel.part(top, bottom), panel.part(first, last), tile[top:bottom, first:last]
            )
            if top != first:
                tile[first:last, top:bottom] = block.T
        return tile.fill_diagonal_(torch.inf)

    def _room(self, n: int, m: int, device: torch.device) -> Tensor:
        if self._tile.numel() < n * m or self._tile.device != device:
            self._tile = room(n * m, device)
        return self._tile[: n * m].view(n, m)

    def masks(self, n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
        """Two arrays (n, m) of booleans, valid until the thread's next masks."""
        if self._masks.shape[1] < n * m:
            self._masks = mapped((2, n * m), np.bool_)
        return self._masks[0, : n * m].reshape(n, m), self._masks[1, : n * m].reshape(n, m)


def _triangle(first: int, last: int, cuts: int = 2) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Blocks (rows, columns) on and above the diagonal of a square, halved ``cuts`` times: twice is 5/8 of its area."""
    if not cuts or last - first < 256:
        return [((first, last), (first, last))]
    middle = (first + last) // 2
    corner = ((first, middle), (middle, last))
    return [*_triangle(first, middle, cuts - 1), *_triangle(middle, last, cuts - 1), corner]
