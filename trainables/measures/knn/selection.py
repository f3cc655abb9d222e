"""The c smallest entries of every row of a matrix that arrives in tiles."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from threading import Lock

import torch
from torch import Tensor

from trainables.measures.knn.hits import Bench, hits, places

__all__ = ["Smallest", "smallest"]

_CHUNK = 32
_SPARSE = 1 / 8  # of a tile: with more hits than this, a selection that reads all of it is faster


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
    """Running candidates: ``values`` and ``columns`` (N, c) of the smallest entries seen so far in each row.

    ``limits`` (N,) are the largest of them: only an entry below its row's limit changes anything. After t tiles of m
    columns in no particular order the next holds about c/t such entries per row, so the hits of all tiles are
    O(c log(N/m)) per row, and a tile costs its two comparisons.

    Several threads may bring tiles. Rows are locked in the pieces that begin at ``starts``, and a tile's rows (and its
    columns) lie in one piece. Limits are read without a lock: they only fall, and too high a limit is only slower.
    """

    def __init__(
        self,
        n: int,
        c: int,
        device: torch.device,
        dtype: torch.dtype = torch.float32,
        starts: Sequence[int] = (0,),
    ) -> None:
        self.c = c
        self._starts = starts
        self._locks = [Lock() for _ in starts]
        self._waiting: list[list[tuple[Tensor, Tensor, Tensor]]] = [[] for _ in starts]
        self.values = torch.full((n, c), torch.inf, dtype=dtype, device=device)
        self.columns = torch.zeros((n, c), dtype=torch.int64, device=device)
        self.limits = torch.full((n,), torch.inf, dtype=dtype, device=device)

    def update(self, start: int, tile: Tensor, first_column: int) -> None:
        """Meet a tile (n, m) of rows from ``start`` and columns from ``first_column``, all of it."""
        values, columns = smallest(tile, self.c)
        rows = torch.arange(start, start + len(tile), device=tile.device)
        self._keep(rows, values, columns + first_column)

    def update_both(self, start: int, tile: Tensor, first_column: int, bench: Bench) -> None:
        """Meet a tile (n, m) of a symmetric matrix, off its diagonal: for its rows and for its columns.

        Its few entries below the limits wait for those of other tiles; :meth:`settle` meets what waits at the end.
        """
        n, m = tile.shape
        here, there = self.limits[start : start + n], self.limits[first_column : first_column + m]
        blank = bool(
            torch.isinf(here.amax() + there.amax())
        )  # rows that have met nothing yet take everything
        flat = None if blank else hits(tile, here, there, bench)
        if flat is None or len(flat) > _SPARSE * tile.numel():
            self.update(start, tile, first_column)
            self.update(first_column, tile.T, start)
            return
        i, j, values = places(tile, flat)
        self._wait(start, (i + start, j + first_column, values))
        self._wait(first_column, (j + first_column, i + start, values))

    def settle(self, piece: int) -> None:
        """Meet the entries that wait for the rows of one piece."""
        with self._locks[piece]:
            waiting, self._waiting[piece] = self._waiting[piece], []
        if waiting:
            self._meet(*map(torch.cat, zip(*waiting, strict=True)))

    def _wait(self, row: int, entries: tuple[Tensor, Tensor, Tensor]) -> None:
        """Let entries (rows, columns, values) of the piece of ``row`` wait until they are as many as it keeps."""
        piece = self._piece(row)
        with self._locks[piece]:
            self._waiting[piece].append(entries)
            many = sum(len(rows) for rows, _, _ in self._waiting[piece]) > self.c * len(self.values) / len(
                self._starts
            )
        if many:
            self.settle(piece)

    def _meet(self, rows: Tensor, columns: Tensor, values: Tensor) -> None:
        """Meet single entries of a piece, in any order."""
        below = (values < self.limits[rows]).nonzero().flatten()
        if not len(below):
            return
        rows, order = rows[below].sort()
        below = below[order]
        owners, which, counts = torch.unique_consecutive(rows, return_inverse=True, return_counts=True)
        at = torch.arange(len(rows), device=rows.device) - (counts.cumsum(0) - counts)[which]
        shape = (len(owners), int(counts.max()))
        table = torch.full(shape, torch.inf, dtype=values.dtype, device=values.device)
        names = torch.zeros(shape, dtype=torch.int64, device=values.device)
        table[which, at], names[which, at] = values[below], columns[below]
        self._keep(owners, table, names)

    def _keep(self, rows: Tensor, values: Tensor, columns: Tensor) -> None:
        """The c smallest of what the ``rows`` of a piece hold and of what they meet, (n, h) twice."""
        with self._locks[self._piece(int(rows[0]))]:
            merged = torch.cat([self.values[rows], values], dim=1)
            names = torch.cat([self.columns[rows], columns], dim=1)
            kept, at = merged.topk(self.c, dim=1, largest=False, sorted=False)
            self.values[rows], self.columns[rows] = kept, names.gather(1, at)
            self.limits[rows] = kept.amax(dim=1)

    def _piece(self, row: int) -> int:
        return bisect_right(self._starts, row) - 1
