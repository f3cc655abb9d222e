"""Entries of a tile below the limit of their row or of their column, as a short list.

Near pairs are rare, so a tile is read once by two comparisons, and all that follows touches only what they found.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

__all__ = ["hits", "places"]


def hits(tile: Tensor, row_limits: Tensor, column_limits: Tensor) -> Tensor:
    """Flat indices, ascending, of the entries of ``tile`` (n, m) with a < row_limits_i or a < column_limits_j.

    O(nm) comparisons and nm bytes; 8 bytes per hit. On a CPU by NumPy, whose comparisons and search of a sparse mask
    are several times as fast as torch's, threads included.
    """
    if tile.device.type != "cpu":
        return ((tile < row_limits[:, None]) | (tile < column_limits)).flatten().nonzero().flatten()
    array = tile.numpy()
    mask = np.less(array, row_limits.numpy()[:, None])
    mask |= np.less(array, column_limits.numpy())
    return torch.from_numpy(np.flatnonzero(mask))


def places(flat: Tensor, m: int) -> tuple[Tensor, Tensor]:
    """Rows and columns of flat indices into a tile with ``m`` columns."""
    rows = flat.div(m, rounding_mode="floor")
    return rows, flat - rows * m
