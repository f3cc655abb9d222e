"""Entries of a tile below the limit of their row or of their column, as a short list.

Near pairs are rare, so a tile is read once by two comparisons, and all that follows touches only what they found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from trainables.measures.knn.bench import Bench

__all__ = ["Hits", "hits"]

_STRIP = 1 << 19  # entries compared at a time: bounds the memory of masks


@dataclass(frozen=True)
class Hits:
    """Entries of a matrix: ``rows``, ``columns`` (h,) int32 and ``values`` (h,)."""

    rows: Tensor
    columns: Tensor
    values: Tensor

    def __len__(self) -> int:
        return len(self.rows)

    def turned(self) -> Hits:
        """The same entries of the transpose."""
        return Hits(self.columns, self.rows, self.values)

    def split(self, size: int) -> list[Hits]:
        """In parts of at most ``size`` entries."""
        parts = (entries.split(size) for entries in (self.rows, self.columns, self.values))
        return [Hits(*part) for part in zip(*parts, strict=True)]

    @classmethod
    def joined(cls, parts: Sequence[Hits]) -> Hits:
        """Several, one after the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            torch.cat([part.rows for part in parts]),
            torch.cat([part.columns for part in parts]),
            torch.cat([part.values for part in parts]),
        )


def hits(
    tile: Tensor, row: int, column: int, row_limits: Tensor, column_limits: Tensor, bench: Bench
) -> Hits:
    """The entries of a tile (n, m) with a < row_limits_i or a < column_limits_j, in the order of its rows.

    Its first row is the matrix's ``row``, its first column the ``column``; limits are (n,) and (m,). O(nm) comparisons,
    12 bytes per hit. On a CPU by NumPy, whose comparisons and search of a sparse mask are faster on one thread than
    torch's, and strip by strip.
    """
    n, m = tile.shape
    if tile.device.type != "cpu":
        found = ((tile < row_limits[:, None]) | (tile < column_limits)).nonzero(as_tuple=True)
        return Hits((found[0] + row).int(), (found[1] + column).int(), tile[found])
    array, rows, columns = tile.numpy(), row_limits.numpy()[:, None], column_limits.numpy()
    height = max(1, _STRIP // m)
    return Hits.joined(
        [
            _hits_of_strip(
                array[top : top + height], row + top, column, rows[top : top + height], columns, bench
            )
            for top in range(0, n, height)
        ]
    )


def _hits_of_strip(
    strip: np.ndarray, row: int, column: int, rows: np.ndarray, columns: np.ndarray, bench: Bench
) -> Hits:
    mask, other = bench.masks(*strip.shape)
    np.less(strip, rows, out=mask)
    np.less(strip, columns, out=other)
    mask |= other
    flat = np.flatnonzero(mask).astype(np.int32)
    i, j = np.divmod(flat, np.int32(strip.shape[1]))
    values = strip[i, j]
    i += row
    j += column
    return Hits(torch.from_numpy(i), torch.from_numpy(j), torch.from_numpy(values))
