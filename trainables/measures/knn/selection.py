"""The c smallest entries of every row of a matrix that arrives in tiles."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from threading import Lock

import numpy as np
import torch
from torch import Tensor

from trainables.measures.knn.bench import Bench
from trainables.measures.knn.hits import Entries, Hits, hits, row_hits
from trainables.measures.knn.numbers import Numbers, joined, numbers, put

__all__ = ["Smallest"]

_CHUNK = 32
_SPARSE = 1 / 8  # of a tile: with more hits than this, a selection that reads all of it is faster
_PATIENCE = 4  # times as many entries as are kept may wait: limits fall later, but are computed seldom


class Smallest:
    """Running candidates: ``values`` and ``columns`` (N, c) of the smallest entries seen so far in each row.

    ``limits`` (N,): an entry at or above its row's limit changes nothing. They begin with what a row's first tile shows
    and fall with the largest candidate. After t tiles of m columns in no particular order the next holds about c/t
    entries below per row, so the hits of all tiles are O(c log(N/m)) per row, and a tile costs its two comparisons.

    Several threads may bring tiles. Rows come in the pieces that begin at ``starts``, and a tile's rows (and its
    columns) lie in one piece. Entries below their limit wait for those of other tiles; :meth:`settle` meets what waits
    at the end. Limits are read without a lock: they only fall, and too high a limit is only slower. What waits has
    locks of its own, so that nobody who brings a tile waits for one who selects.
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
        self._edges = [*starts, n]
        self._locks = [Lock() for _ in starts]
        self._doors = [Lock() for _ in starts]
        self._limited = [False for _ in starts]
        self._waiting: list[list[Hits]] = [[] for _ in starts]
        self.values = numbers(torch.full((n, c), torch.inf, dtype=dtype, device=device))
        self.columns = numbers(torch.zeros((n, c), dtype=torch.int32, device=device))
        self.limits = numbers(torch.full((n,), torch.inf, dtype=dtype, device=device))

    def update(self, start: int, tile: Numbers, first_column: int, bench: Bench) -> None:
        """Meet a tile (n, m) of rows from ``start`` and columns from ``first_column``, for its rows."""
        tile, piece = numbers(tile), self._piece(start)
        self._limit(piece, start, tile)
        found = row_hits(tile, start, first_column, self.limits[start : start + len(tile)], bench)
        self._wait(piece, self._few(found, start, tile, first_column))

    def update_both(self, start: int, tile: Numbers, first_column: int, bench: Bench) -> None:
        """Meet a tile (n, m) of a symmetric matrix, off its diagonal: for its rows and for its columns."""
        tile = numbers(tile)
        n, m = tile.shape
        above, left = self._piece(start), self._piece(first_column)
        self._limit(above, start, tile)
        self._limit(left, first_column, tile.T)
        here, there = self.limits[start : start + n], self.limits[first_column : first_column + m]
        of_rows, of_columns = hits(tile, start, first_column, here, there, bench)
        self._wait(above, self._few(of_rows, start, tile, first_column))
        self._wait(left, self._few(of_columns, first_column, tile.T, start))

    def settle(self, piece: int) -> None:
        """Meet the entries that wait for the rows of one piece."""
        with self._doors[piece]:
            waiting, self._waiting[piece] = self._waiting[piece], []
        if waiting:
            self._meet(piece, Entries.of(waiting))

    def _limit(self, piece: int, start: int, tile: Numbers) -> None:
        """Limit the rows of a tile by what it shows, unless the whole piece is limited already.

        The c-th smallest minimum of some chunks of a row: as many chunks have an entry at or below it.
        """
        if self._limited[piece]:
            return
        rows, columns = tile.shape
        chunk = max(1, min(_CHUNK, columns // (2 * self.c)))
        whole = columns // chunk
        if whole >= self.c:
            minima = torch.as_tensor(tile)[:, : whole * chunk].unflatten(1, (whole, chunk)).amin(dim=2)
            limits = minima.kthvalue(self.c, dim=1).values
            with self._locks[piece]:
                self._lower(start, numbers(torch.nextafter(limits, torch.full_like(limits, torch.inf))))
        first, last = self._edges[piece : piece + 2]
        self._limited[piece] = (start, start + rows) == (first, last) and whole >= self.c

    def _lower(self, start: int, limits: Numbers) -> None:
        rows = self.limits[start : start + len(limits)]
        if isinstance(rows, np.ndarray):
            np.minimum(rows, limits, out=rows)
        else:
            torch.minimum(rows, torch.as_tensor(limits), out=rows)

    def _few(self, found: Hits, start: int, tile: Numbers, first_column: int) -> Hits:
        """What was found for the rows of a tile, or the c smallest of every row, where that is far less."""
        few = len(found) <= _SPARSE * math.prod(tile.shape)
        return found if few else self._nearest(start, torch.as_tensor(tile), first_column)

    def _nearest(self, start: int, tile: Tensor, first_column: int) -> Hits:
        """The c smallest entries of every row of a tile, among equals any."""
        n, m = tile.shape
        values, columns = tile.topk(min(self.c, m), dim=1, largest=False, sorted=False)
        places = columns + m * torch.arange(n, device=tile.device)[:, None]
        return Hits(numbers(places.flatten()), numbers(values.flatten()), start, first_column, m)

    def _wait(self, piece: int, found: Hits) -> None:
        """Let entries of the rows of a piece wait until they are many."""
        if not len(found):
            return
        first, last = self._edges[piece : piece + 2]
        with self._doors[piece]:
            self._waiting[piece].append(found)
            many = sum(map(len, self._waiting[piece])) > _PATIENCE * self.c * (last - first)
        if many:
            self.settle(piece)

    def _meet(self, piece: int, found: Entries) -> None:
        """Keep the c smallest of what the rows of a piece hold and of single entries, in any order."""
        first, last = self._edges[piece : piece + 2]
        with self._locks[piece]:
            columns = joined([self.columns[first:last].reshape(-1), found.columns])
            values = joined([self.values[first:last].reshape(-1), found.values])
            kept = _smallest_of_rows(found.rows - first, values, last - first, self.c)
            put(self.values[first:last], values[kept])
            put(self.columns[first:last], columns[kept])
            self._lower(first, self.values[first:last, -1])

    def _piece(self, row: int) -> int:
        return bisect_right(self._edges, row) - 1


def _smallest_of_rows(rows: Numbers, values: Numbers, n: int, c: int) -> Numbers:
    """Places (n, c) of the c smallest of each of n rows, in their order.

    Of the ``values`` (nc + h,) the first nc are c per row, and ``rows`` (h,) has the rows of the others. O(h log h):
    sorted by value, and then by row, which keeps that order. NumPy sorts small integers without a comparison.
    """
    if isinstance(rows, np.ndarray) and isinstance(values, np.ndarray):
        row = np.concatenate([np.arange(n * c) // c, rows])
        order = values.argsort()
        by_row = row[order].astype(np.uint16 if n <= 1 << 16 else np.int32)
        order = order[by_row.argsort(kind="stable")]
        begins = np.searchsorted(row[order], np.arange(n))
        chosen: np.ndarray = order[begins[:, None] + np.arange(c)]
        return chosen
    rows, values = torch.as_tensor(rows), torch.as_tensor(values)
    rows = torch.cat([torch.arange(n * c, device=rows.device) // c, rows])
    places = values.argsort()
    places = places[rows[places].argsort(stable=True)]
    first = torch.searchsorted(rows[places], torch.arange(n, device=rows.device))
    return places[first[:, None] + torch.arange(c, device=rows.device)]
