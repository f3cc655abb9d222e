"""Exact k-NN radii of one set in any dimension, at the cost of half a float32 product.

Only tiles on and above the diagonal are computed; each serves its rows and its columns, and is read by two comparisons
with what the rows and the columns have already found. A few more candidates than k are kept by their lower bound.
Those whose place relative to the k-th is open are measured exactly, and a row whose candidates cannot be proved to be
enough is done again in float64.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor

from trainables.measures.knn.hits import Bench
from trainables.measures.knn.products import Points, exact_distances, full_float32, tiles
from trainables.measures.knn.selection import Smallest
from trainables.measures.knn.workers import each

__all__ = ["dense_radii", "strips", "tile_side"]

_SPARE = 8  # candidates beyond k
_CPU_SIDE = 1024
_LEAST_SIDE = 256  # on a CPU: below, what surrounds a product costs as much as the product
_TILES_PER_THREAD = 3
_CUDA_SIDE = 16384


def tile_side(n: int, device: torch.device) -> int:
    """Rows and columns of a tile: the cache on a CPU; on CUDA large, within an eighth of the free memory.

    On a CPU small sets are cut smaller, so that half of their tiles are a few for every thread.
    """
    if device.type != "cuda":
        across = math.ceil(math.sqrt(2 * _TILES_PER_THREAD * torch.get_num_threads()))
        return min(_CPU_SIDE, max(_LEAST_SIDE, math.ceil(n / across)))
    free, _ = torch.cuda.mem_get_info(device)
    return max(1024, min(_CUDA_SIDE, int((free / 8 / 4) ** 0.5) // 1024 * 1024))


def strips(
    pairs: Sequence[tuple[int, int]], rows: Sequence[tuple[int, int]], device: torch.device
) -> list[tuple[int, int, int, int]]:
    """Tiles (rows, columns, top, bottom) for pairs of pieces, top and bottom within the ``rows``' piece.

    A tile is whole, but for the last one of every thread on a CPU: cut in four, they let all threads end at a time.
    """
    whole = len(pairs) - torch.get_num_threads() if device.type == "cpu" else len(pairs)
    cut = []
    for at, (i, j) in enumerate(pairs):
        height = rows[i][1] - rows[i][0]
        cut += [(i, j, *strip) for strip in tiles(height, height if at < whole else math.ceil(height / 4))]
    return cut


def dense_radii(features: Tensor, ks: Sequence[int], spare: int = _SPARE) -> Tensor:
    """Distances to the k-th neighbour, itself excluded, for every k of ``ks``: (N, d) → (N, len(ks)) float64.

    N²d/2 multiply-adds in float32; memory N·d float32, and a tile per thread.
    """
    (points,) = Points.together(features)
    found = _candidates(points, min(max(ks) + spare, len(points) - 1))
    radii, proved = _settle(features, points, found, ks)
    open_rows = (~proved).nonzero().flatten()
    if len(open_rows):
        radii[open_rows] = _radii_float64(features, points, open_rows, ks, found.c)
    return radii


def _candidates(points: Points, c: int) -> Smallest:
    """For every point the c others of the smallest lower bounds."""
    device = points.features.device
    pieces = tiles(len(points), tile_side(len(points), device))
    panels = points.panels(pieces)
    found = Smallest(len(points), c, device, starts=[start for start, _ in pieces])
    bench = Bench()

    def meet(rows: int, columns: int, top: int, bottom: int) -> None:
        tile = bench.tile(panels[rows].part(top, bottom), panels[columns])
        found.update_both(pieces[rows][0] + top, tile, pieces[columns][0], bench)

    def meet_square(at: int) -> None:
        start, stop = pieces[at]
        for (top, bottom), (first, last) in _triangle(0, stop - start):
            tile = bench.tile(panels[at].part(top, bottom), panels[at].part(first, last))
            if top == first:
                found.update(start + top, tile.fill_diagonal_(torch.inf), start + first)
            else:
                found.update_both(start + top, tile, start + first, bench)

    # Squares on the diagonal come first: rows then know limits that let little of the other tiles through.
    squares = [partial(meet_square, at) for at in range(len(pieces))]
    above = [(rows, columns) for columns in range(len(pieces)) for rows in range(columns)]
    others = [partial(meet, *tile) for tile in strips(above, pieces, device)]
    with full_float32():
        each(lambda task: task(), squares + others, device)
    each(found.settle, range(len(pieces)), device)
    return found


def _triangle(first: int, last: int, cuts: int = 3) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Tiles (rows, columns) on and above the diagonal of a square: halved ``cuts`` times, 9/16 of its area.

    Those on the diagonal come before those that have all their rows and columns in them.
    """
    if not cuts or last - first < 256:
        return [((first, last), (first, last))]
    middle = (first + last) // 2
    corner = ((first, middle), (middle, last))
    return [*_triangle(first, middle, cuts - 1), *_triangle(middle, last, cuts - 1), corner]


def _settle(features: Tensor, points: Points, found: Smallest, ks: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Radii from candidates, and whether each row's candidates are proved to hold its neighbours."""
    n, c = found.values.shape
    low, order = found.values.double().sort(dim=1)
    columns = found.columns.gather(1, order)
    width = points.width(0, n)
    high = low + width[:, None] + width[columns]
    ranked_high = high.sort(dim=1).values
    unsure = torch.zeros_like(low, dtype=torch.bool)
    for k in ks:
        unsure |= (high >= low[:, k - 1, None]) & (low <= ranked_high[:, k - 1, None])
    i, at = unsure.nonzero(as_tuple=True)
    values = ((low + high) / 2).clamp_min_(0.0).sqrt_().mul_(points.scale)
    values[i, at] = exact_distances(features, features, i, columns[i, at])
    ranked = values.sort(dim=1).values
    radii = torch.stack([ranked[:, k - 1] for k in ks], dim=1)
    nearest_unseen = low[:, -1].clamp_min(0.0).sqrt() * points.scale
    proved = (nearest_unseen > radii.amax(dim=1)) | (c == n - 1)
    return radii, proved


def _radii_float64(features: Tensor, points: Points, rows: Tensor, ks: Sequence[int], c: int) -> Tensor:
    """Radii of the chosen rows: candidates from a float64 product, all of them then measured exactly."""
    found = Smallest(len(rows), c, features.device, torch.float64)
    for start, stop in tiles(len(rows), _CPU_SIDE):
        chosen = rows[start:stop]
        panel = points.rows(chosen)
        norms = panel.square().sum(dim=1)
        for first, last in tiles(len(features), _CPU_SIDE):
            columns = points.rows(torch.arange(first, last, device=rows.device))
            tile = torch.addmm(columns.square().sum(dim=1), panel, columns.T, alpha=-2).add_(norms[:, None])
            tile[chosen[:, None] == torch.arange(first, last, device=rows.device)] = torch.inf
            found.update(start, tile, first)
    values = exact_distances(features, features, rows.repeat_interleave(c), found.columns.flatten())
    ranked = values.view(len(rows), c).sort(dim=1).values
    return torch.stack([ranked[:, k - 1] for k in ks], dim=1)
