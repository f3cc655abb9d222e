"""Tiles of lower bounds, in memory that every thread keeps for its next one."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from trainables.measures.knn.memory import Scratch, mapped
from trainables.measures.knn.products import Panel, lower_bounds

__all__ = ["Bench"]


class Bench(Scratch):
    """Memory for tiles and their masks, and for whatever is done between two tiles."""

    def __init__(self) -> None:
        super().__init__()
        self._masks = np.empty(0, dtype=np.bool_)

    def tile(self, left: Panel, right: Panel) -> Tensor:
        """The lower bounds of two panels → (n, m), valid until the thread's next tile or scratch."""
        return lower_bounds(left, right, self._tile(len(left), len(right), left.bounds.device))

    def square(self, panel: Panel) -> Tensor:
        """The lower bounds of a panel with itself → (n, n), infinite on the diagonal, valid as long as a tile.

        Products are taken on and above the diagonal only, block by block; the rest mirrors them.
        """
        tile = self._tile(len(panel), len(panel), panel.bounds.device)
        for (top, bottom), (first, last) in _triangle(0, len(panel)):
            block = lower_bounds(
                panel.part(top, bottom), panel.part(first, last), tile[top:bottom, first:last]
            )
            if top != first:
                tile[first:last, top:bottom] = block.T
        return tile.fill_diagonal_(torch.inf)

    def _tile(self, n: int, m: int, device: torch.device) -> Tensor:
        return self.floats(n * m, device).view(n, m)

    def masks(self, count: int, n: int, m: int) -> np.ndarray:
        """Booleans (count, n, m), valid until the thread's next masks."""
        numbers = count * n * m
        if len(self._masks) < numbers:
            self._masks = mapped((numbers,), np.bool_)
        return self._masks[:numbers].reshape(count, n, m)


def _triangle(first: int, last: int, cuts: int = 2) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Blocks (rows, columns) on and above the diagonal of a square, halved ``cuts`` times: twice is 5/8 of its area."""
    if not cuts or last - first < 256:
        return [((first, last), (first, last))]
    middle = (first + last) // 2
    corner = ((first, middle), (middle, last))
    return [*_triangle(first, middle, cuts - 1), *_triangle(middle, last, cuts - 1), corner]
