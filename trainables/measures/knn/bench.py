"""Tiles of lower bounds, in memory that every thread keeps for its next one."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from trainables.measures.knn.memory import Scratch, mapped
from trainables.measures.knn.numbers import Numbers, numbers, put
from trainables.measures.knn.products import Panel, lower_bounds

__all__ = ["Bench"]


class Bench(Scratch):
    """Memory for tiles and their masks, and for whatever is done between two tiles."""

    def __init__(self) -> None:
        super().__init__()
        self._masks = np.empty(0, dtype=np.bool_)
        self._tiles: dict[tuple[int, int], tuple[Tensor, Numbers]] = {}

    def tile(self, left: Panel, right: Panel) -> Numbers:
        """The lower bounds of two panels → (n, m), valid until the thread's next tile or scratch."""
        return lower_bounds(left, right, *self._tile(len(left), len(right), left.points.device))

    def square(self, panel: Panel) -> Numbers:
        """The lower bounds of a panel with itself → (n, n), infinite on the diagonal, valid as long as a tile.

        Products are taken on and above the diagonal only, block by block; the rest mirrors them.
        """
        n = len(panel)
        tile, seen = self._tile(n, n, panel.points.device)
        blocks = _triangle(0, n)
        parts = {edges: panel.part(*edges) for block in blocks for edges in block}
        for rows, columns in blocks:
            above = lower_bounds(parts[rows], parts[columns], tile[slice(*rows), slice(*columns)])
            if rows != columns:
                put(seen[slice(*columns), slice(*rows)], above.T)
        if isinstance(seen, np.ndarray):
            np.fill_diagonal(seen, np.inf)
        else:
            seen.fill_diagonal_(torch.inf)
        return seen

    def _tile(self, n: int, m: int, device: torch.device) -> tuple[Tensor, Numbers]:
        """Memory for a tile, for a product and for what comes after it; looked up, since to make it takes its time."""
        self._reserve(n * m, device)
        if (n, m) not in self._tiles:
            tile = self.floats(n * m, device).view(n, m)
            self._tiles[n, m] = tile, numbers(tile)
        return self._tiles[n, m]

    def _forget(self) -> None:
        super()._forget()
        self._tiles.clear()

    def masks(self, count: int, n: int, m: int) -> np.ndarray:
        """Booleans (count, n, m), valid until the thread's next masks."""
        entries = count * n * m
        if len(self._masks) < entries:
            self._masks = mapped((entries,), np.bool_)
        return self._masks[:entries].reshape(count, n, m)


def _triangle(first: int, last: int, cuts: int = 2) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Blocks (rows, columns) on and above the diagonal of a square, halved ``cuts`` times: twice is 5/8 of its area."""
    if not cuts or last - first < 256:
        return [((first, last), (first, last))]
    middle = (first + last) // 2
    corner = ((first, middle), (middle, last))
    return [*_triangle(first, middle, cuts - 1), *_triangle(middle, last, cuts - 1), corner]
