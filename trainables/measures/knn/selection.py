"""The c smallest entries of every row, kept while the columns arrive in tiles."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["Smallest", "smallest"]

_CHUNK = 32


def smallest(tile: Tensor, c: int, chunk: int = _CHUNK) -> tuple[Tensor, Tensor]:
    """Values and column indices of the c smallest entries of each row, (n, m) → (n, c) twice, unsorted.

    In wide tiles only c chunks of columns can hold them: those with the c smallest minima. One pass takes the
    minima, and the selection looks at m/chunk + c·chunk entries instead of m. ``tile`` may be a transpose.
    """
    n, m = tile.shape
    c = min(c, m)
    whole = m // chunk
    if whole < 2 * c:
        return tile.topk(c, dim=1, largest=False, sorted=False)
    chunks = tile[:, : whole * chunk].unflatten(1, (whole, chunk))
    chosen = chunks.amin(dim=2).topk(c, dim=1, largest=False, sorted=False).indices
    columns = (chosen[:, :, None] * chunk + torch.arange(chunk, device=tile.device)).flatten(1)
    if m > whole * chunk:
        rest = torch.arange(whole * chunk, m, device=tile.device).expand(n, -1)
        columns = torch.cat([columns, rest], dim=1)
    values, at = tile.gather(1, columns).topk(c, dim=1, largest=False, sorted=False)
    return values, columns.gather(1, at)


class Smallest:
    """Running candidates: ``values`` and ``columns`` (N, c) of the smallest entries seen so far in each row."""

    def __init__(self, n: int, c: int, device: torch.device, dtype: torch.dtype = torch.float32) -> None:
        self.c = c
        self.values = torch.full((n, c), torch.inf, dtype=dtype, device=device)
        self.columns = torch.zeros((n, c), dtype=torch.int64, device=device)

    def update(self, start: int, tile: Tensor, first_column: int) -> None:
        """Meet a tile (n, m) of rows from ``start`` and columns from ``first_column``."""
        values, columns = smallest(tile, self.c)
        rows = slice(start, start + len(tile))
        merged = torch.cat([self.values[rows], values], dim=1)
        names = torch.cat([self.columns[rows], columns + first_column], dim=1)
        self.values[rows], at = merged.topk(self.c, dim=1, largest=False, sorted=False)
        self.columns[rows] = names.gather(1, at)
