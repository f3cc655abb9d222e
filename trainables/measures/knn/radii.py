"""Exact k-NN radii of one set in any dimension, at the cost of half a float32 product.

Only tiles on and above the diagonal are computed; each serves its rows and its columns, and is read by two comparisons
with what the rows and the columns have already found. A few more candidates than k are kept by their lower bound.
Those whose place relative to the k-th is open are measured exactly, and a row whose candidates cannot be proved to be
enough is done again in float64.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import torch
from torch import Tensor

from trainables.measures.knn.bench import Bench
from trainables.measures.knn.cut import Cut, strips
from trainables.measures.knn.memory import give_back
from trainables.measures.knn.products import Points, exact_distances, plain_products, tiles
from trainables.measures.knn.selection import Smallest
from trainables.measures.knn.workers import Countdown, each

__all__ = ["dense_radii", "radii_within"]

_SPARE = 6  # candidates beyond k
_ROWS_AGAIN = 1024  # done again in float64 at a time


def dense_radii(features: Tensor, ks: Sequence[int], spare: int = _SPARE) -> Tensor:
    """Distances to the k-th neighbour, itself excluded, for every k of ``ks``: (N, d) → (N, len(ks)) float64.

    N²d/2 multiply-adds in float32; memory a tile per thread, and N·d float32 unless the features serve as they are.
    """
    (points,) = Points.together(features)
    return radii_within(Cut.of(points), ks, spare)


def radii_within(cut: Cut, ks: Sequence[int], spare: int = _SPARE) -> Tensor:
    """:func:`dense_radii` of a set whose panels are made.

    Whoever meets the last tile of a piece settles its rows, while others still multiply: many threads that settle at a
    time would wait for each other with every small operation.
    """
    points, device = cut.points, cut.points.features.device
    pieces, panels = cut.pieces, cut.panels
    found = Smallest(
        len(points), min(max(ks) + spare, len(points) - 1), device, starts=[start for start, _ in pieces]
    )
    # Squares on the diagonal come first: rows then know limits that let little of the other tiles through.
    squares = [(at, at, 0, stop - start) for at, (start, stop) in enumerate(pieces)]
    tasks = squares + strips(list(combinations(range(len(pieces)), 2)), pieces, device)
    left = Countdown(Counter(at for rows, columns, *_ in tasks for at in {rows, columns}))
    settled: dict[int, tuple[Tensor, Tensor]] = {}
    bench = Bench()

    def meet(rows: int, columns: int, top: int, bottom: int) -> None:
        start, first = pieces[rows][0] + top, pieces[columns][0]
        if rows == columns:
            found.update(start, bench.square(panels[rows]), first, bench)
        else:
            tile = bench.tile(panels[rows].part(top, bottom), panels[columns])
            found.update_both(start, tile, first, bench)
        for at in {rows, columns}:
            if left.was_last(at):
                found.settle(at)
                settled[at] = _settle(points, found, ks, *pieces[at])

    with plain_products():
        each(lambda task: meet(*task), tasks, device)
    radii, proved = (
        torch.cat(parts) for parts in zip(*(settled[at] for at in range(len(pieces))), strict=True)
    )
    open_rows = (~proved).nonzero().flatten()
    if len(open_rows):
        radii[open_rows] = _radii_float64(points, open_rows, ks, found.c)
    if cut.large:
        give_back()
    return radii


def _settle(
    points: Points, found: Smallest, ks: Sequence[int], start: int, stop: int
) -> tuple[Tensor, Tensor]:
    """Radii of some rows from their candidates, and whether these are proved to hold their neighbours."""
    low, order = found.values[start:stop].double().sort(dim=1)
    columns = found.columns[start:stop].gather(1, order).long()
    high = low + points.width[start:stop, None] + points.width[columns]
    ranked_high = high.sort(dim=1).values
    unsure = torch.zeros_like(low, dtype=torch.bool)
    for k in ks:
        unsure |= (high >= low[:, k - 1, None]) & (low <= ranked_high[:, k - 1, None])
    i, at = unsure.nonzero(as_tuple=True)
    values = ((low + high) / 2).clamp_min_(0.0).sqrt_().mul_(points.scale)
    values[i, at] = exact_distances(points.features, points.features, i + start, columns[i, at])
    ranked = values.sort(dim=1).values
    radii = torch.stack([ranked[:, k - 1] for k in ks], dim=1)
    nearest_unseen = low[:, -1].clamp_min(0.0).sqrt() * points.scale
    proved = (nearest_unseen > radii.amax(dim=1)) | (found.c == len(points) - 1)
    return radii, proved


def _radii_float64(points: Points, rows: Tensor, ks: Sequence[int], c: int) -> Tensor:
    """Radii of the chosen rows: candidates from a float64 product, all of them then measured exactly."""
    features = points.features
    found, bench = Smallest(len(rows), c, features.device, torch.float64), Bench()
    for start, stop in tiles(len(rows), _ROWS_AGAIN):
        chosen = rows[start:stop]
        panel = points.rows(chosen)
        norms = panel.square().sum(dim=1)
        for first, last in tiles(len(features), _ROWS_AGAIN):
            columns = points.rows(torch.arange(first, last, device=rows.device))
            tile = torch.addmm(columns.square().sum(dim=1), panel, columns.T, alpha=-2).add_(norms[:, None])
            tile[chosen[:, None] == torch.arange(first, last, device=rows.device)] = torch.inf
            found.update(start, tile, first, bench)
    found.settle(0)
    values = exact_distances(features, features, rows.repeat_interleave(c), found.columns.flatten().long())
    ranked = values.view(len(rows), c).sort(dim=1).values
    return torch.stack([ranked[:, k - 1] for k in ks], dim=1)
