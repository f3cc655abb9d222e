"""Entries of a tile below the limit of their row or of their column, as short lists.

Near pairs are rare, so a tile is read once by a comparison per list, and all that follows touches only what they found.
Which rows and columns those are is worked out later, for the entries of many tiles at a time: operations on a few
thousand numbers take no time, but threads wait for each other at the end of every one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

import numpy as np
import torch
from torch import Tensor

from trainables.measures.knn.bench import Bench

__all__ = ["Entries", "Hits", "hits", "lots", "row_hits"]

_KEPT = 4  # times as many numbers as are needed may be held


@dataclass(frozen=True)
class Entries:
    """Entries of a matrix: ``rows``, ``columns`` (h,) int64 and ``values`` (h,)."""

    rows: Tensor
    columns: Tensor
    values: Tensor

    @classmethod
    def of(cls, parts: Sequence[Hits]) -> Entries:
        """What several tiles hold, those that are not turned first, in a dozen operations."""
        parts = sorted(parts, key=attrgetter("turned"))
        lengths = [len(part) for part in parts]
        upright = sum(length for part, length in zip(parts, lengths, strict=True) if not part.turned)
        places = torch.cat([part.places for part in parts])
        tiles = torch.tensor([(part.row, part.column, part.width) for part in parts], device=places.device).T
        row, column, width = tiles if len(parts) == 1 else _repeated(tiles, lengths)
        i, j = row + places // width, column + places % width
        return cls(
            torch.cat([i[:upright], j[upright:]]),
            torch.cat([j[:upright], i[upright:]]),
            torch.cat([part.values for part in parts]),
        )


def _repeated(columns: Tensor, lengths: Sequence[int]) -> Tensor:
    """Every column of (r, p) so many times → (r, Σ lengths); on a CPU by NumPy, which is faster at this."""
    if columns.device.type == "cpu":
        return torch.from_numpy(columns.numpy().repeat(lengths, axis=1))
    counts = torch.tensor(lengths, device=columns.device)
    return columns.repeat_interleave(counts, dim=1, output_size=sum(lengths))


@dataclass(frozen=True)
class Hits:
    """Entries of one tile of a matrix.

    - ``places`` (h,) int64: where they are in the tile, counted row by row, and ``values`` (h,);
    - ``row``, ``column``: of the tile's first entry in the matrix; ``width``: columns of the tile;
    - ``turned``: whether entries of the transpose are meant, with rows and columns exchanged.
    """

    places: Tensor
    values: Tensor
    row: int
    column: int
    width: int
    turned: bool = False

    def __len__(self) -> int:
        return len(self.places)

    def split(self, size: int) -> list[Hits]:
        """In parts of at most ``size`` entries."""
        parts = zip(self.places.split(size), self.values.split(size), strict=True)
        return [Hits(*part, self.row, self.column, self.width, self.turned) for part in parts]


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


def row_hits(tile: Tensor, row: int, column: int, limits: Tensor, bench: Bench) -> Hits:
    """The entries of a tile (n, m) with a < limits_i, limits (n,); its first entry is the matrix's (row, column)."""
    ((places, values),) = _below(tile, (limits[:, None],), bench)
    return Hits(places, values, row, column, tile.shape[1])


def hits(
    tile: Tensor, row: int, column: int, row_limits: Tensor, column_limits: Tensor, bench: Bench
) -> tuple[Hits, Hits]:
    """The entries of a tile (n, m) with a < row_limits_i, and those with a < column_limits_j, turned.

    Its first entry is the matrix's (row, column); limits are (n,) and (m,). Entries are in the order of the tile's
    rows. 2nm comparisons, 12 bytes per hit.
    """
    of_rows, of_columns = _below(tile, (row_limits[:, None], column_limits), bench)
    width = tile.shape[1]
    return Hits(*of_rows, row, column, width), Hits(*of_columns, row, column, width, turned=True)


def _below(tile: Tensor, limits: Sequence[Tensor], bench: Bench) -> list[tuple[Tensor, Tensor]]:
    """Places and values of the entries below each of some limits that broadcast to the tile.

    On a CPU by NumPy, whose comparisons and search of a sparse mask are faster on one thread than torch's; all masks
    are searched at a time.
    """
    if tile.device.type != "cpu":
        found = [(tile < limit).flatten().nonzero().flatten() for limit in limits]
        return [(places, tile.flatten()[places]) for places in found]
    array = tile.numpy()
    masks = bench.masks(len(limits), *tile.shape)
    for mask, limit in zip(masks, limits, strict=True):
        np.less(array, limit.numpy(), out=mask)
    places = np.flatnonzero(masks)
    edges = [bisect_left(places, at * array.size) for at in range(len(limits) + 1)]
    for at in range(1, len(limits)):
        places[edges[at] : edges[at + 1]] -= at * array.size
    values = array.take(places)
    return [(_part(places, *edge), _part(values, *edge)) for edge in pairwise(edges)]


def _part(whole: np.ndarray, start: int, stop: int) -> Tensor:
    """Some numbers of an array, without a copy, unless these few would keep many others from being given back."""
    part = whole[start:stop]
    return torch.from_numpy(part if _KEPT * len(part) >= len(whole) else part.copy())
