"""Entries of a tile below the limit of their row or of their column, as short lists.

Near pairs are rare, so a tile is read once by a comparison per list, and all that follows touches only what they found.
Which rows and columns those are is worked out later, for the entries of many tiles at a time: operations on a few
thousand numbers take no time, but threads wait for each other at the end of every one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import attrgetter

import numpy as np
import torch
from torch import Tensor

from trainables.measures.knn.bench import Bench
from trainables.measures.knn.numbers import Numbers, joined

__all__ = ["Entries", "Hits", "hits", "lots", "row_hits"]

_KEPT = 4  # times as many numbers as are needed may be held


@dataclass(frozen=True)
class Entries:
    """Entries of a matrix: ``rows``, ``columns`` (h,) int64 and ``values`` (h,)."""

    rows: Numbers
    columns: Numbers
    values: Numbers

    @classmethod
    def of(cls, parts: Sequence[Hits]) -> Entries:
        """What several tiles hold, those that are not turned first, in a dozen operations."""
        parts = sorted(parts, key=attrgetter("turned"))
        lengths = [len(part) for part in parts]
        upright = sum(length for part, length in zip(parts, lengths, strict=True) if not part.turned)
        places = joined([part.places for part in parts])
        row, column, width = _repeated(
            [(part.row, part.column, part.width) for part in parts], lengths, places
        )
        i, j = row + places // width, column + places % width
        return cls(
            joined([i[:upright], j[upright:]]),
            joined([j[:upright], i[upright:]]),
            joined([part.values for part in parts]),
        )


def _repeated(rows: Sequence[tuple[int, ...]], lengths: Sequence[int], like: Numbers) -> Numbers:
    """Every one of p rows (p, r) so many times, as columns → (r, Σ lengths), an array or a tensor like another."""
    if isinstance(like, np.ndarray):
        return np.array(rows).repeat(lengths, axis=0).T
    counts = torch.tensor(lengths, device=like.device)
    return torch.tensor(rows, device=like.device).T.repeat_interleave(counts, dim=1, output_size=sum(lengths))


@dataclass(frozen=True)
class Hits:
    """Entries of one tile of a matrix.

    - ``places`` (h,) int64: where they are in the tile, counted row by row, and ``values`` (h,);
    - ``row``, ``column``: of the tile's first entry in the matrix; ``width``: columns of the tile;
    - ``turned``: whether entries of the transpose are meant, with rows and columns exchanged.
    """

    places: Numbers
    values: Numbers
    row: int
    column: int
    width: int
    turned: bool = False

    def __len__(self) -> int:
        return len(self.places)

    def split(self, size: int) -> list[Hits]:
        """In parts of at most ``size`` entries."""
        edges = range(0, max(1, len(self)), size)
        return [
            replace(self, places=self.places[start : start + size], values=self.values[start : start + size])
            for start in edges
        ]


def lots(found: Sequence[Hits], size: int) -> Iterator[list[Hits]]:
    """Hits of several tiles in lots of at most ``size`` entries."""
    lot: list[Hits] = []
    for part in (part for whole in found for part in whole.split(size)):
        if lot and sum(map(len, lot)) + len(part) > size:
            yield lot
            lot = []
        lot.append(part)
    if lot:
        yield lot


def row_hits(tile: Numbers, row: int, column: int, limits: Numbers, bench: Bench) -> Hits:
    """The entries of a tile (n, m) with a < limits_i, limits (n,); its first entry is the matrix's (row, column)."""
    ((places, values),) = _below(tile, (limits[:, None],), bench)
    return Hits(places, values, row, column, tile.shape[1])


def hits(
    tile: Numbers, row: int, column: int, row_limits: Numbers, column_limits: Numbers, bench: Bench
) -> tuple[Hits, Hits]:
    """The entries of a tile (n, m) with a < row_limits_i, and those with a < column_limits_j, turned.

    Its first entry is the matrix's (row, column); limits are (n,) and (m,). Entries are in the order of the tile's
    rows. 2nm comparisons, 12 bytes per hit.
    """
    of_rows, of_columns = _below(tile, (row_limits[:, None], column_limits), bench)
    width = tile.shape[1]
    return Hits(*of_rows, row, column, width), Hits(*of_columns, row, column, width, turned=True)


def _below(tile: Numbers, limits: Sequence[Numbers], bench: Bench) -> list[tuple[Numbers, Numbers]]:
    """Places and values of the entries below each of some limits that broadcast to the tile.

    NumPy searches all masks of an array at a time; it compares and searches faster on one thread than torch.
    """
    if isinstance(tile, Tensor):
        found = [(tile < torch.as_tensor(limit)).flatten().nonzero().flatten() for limit in limits]
        return [(places, tile.flatten()[places]) for places in found]
    masks = bench.masks(len(limits), *tile.shape)
    for mask, limit in zip(masks, limits, strict=True):
        np.less(tile, limit, out=mask)
    places = np.flatnonzero(masks)
    edges = [bisect_left(places, at * tile.size) for at in range(len(limits) + 1)]
    for at in range(1, len(limits)):
        places[edges[at] : edges[at + 1]] -= at * tile.size
    values = tile.take(places)
    return [(_part(places, *edge), _part(values, *edge)) for edge in pairwise(edges)]


def _part(whole: np.ndarray, start: int, stop: int) -> np.ndarray:
    """Some numbers of an array, without a copy, unless these few would keep many others from being given back."""
    part = whole[start:stop]
    return part if _KEPT * len(part) >= len(whole) else part.copy()
