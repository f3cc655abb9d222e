"""Exact k-NN radii of one set in any dimension, at the cost of half a float32 product.

Only tiles on and above the diagonal are computed; each serves its rows and its columns, and is read by two comparisons
with what the rows and the columns have already found. A few more candidates than k are kept by their lower bound.
Those whose place relative to the k-th is open are measured exactly, and a row whose candidates cannot be proved to be
enough is done again in float64. Where even that product cannot tell neighbours apart, since they are much nearer to
each other than to the origin, they are looked at from among themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations

import torch
from torch import Tensor

from trainables.measures.knn.bench import Bench
from trainables.measures.knn.cut import Cut, strips
from trainables.measures.knn.exact import exact_distances
from trainables.measures.knn.memory import give_back
from trainables.measures.knn.products import Points, plain_products, tiles
from trainables.measures.knn.selection import Smallest
from trainables.measures.knn.workers import Countdown, each

__all__ = ["dense_radii", "radii_within"]

_SPARE = 6  # candidates beyond k
_ROWS_AGAIN = 1024  # done again in float64 at a time
_UNIT64 = 2.0**-53
_BLUR = 2.0**-30  # of a squared radius: an error of a float64 product that leaves open who is a neighbour
_NEARBY = 1024  # radii: rows so near to each other are looked at together


def dense_radii(
    features: Tensor,
    ks: Sequence[int],
    spare: int = _SPARE,
    bench: Bench | None = None,
    progress: Callable[[float], None] | None = None,
) -> Tensor:
    """Distances to the k-th neighbour, itself excluded, for every k of ``ks``: (N, d) → (N, len(ks)) float64.

    N²d/2 multiply-adds in float32; memory a tile per thread, and N·d float32 unless the features serve as they are.
    """
    bench = bench or Bench()
    (radii,) = radii_within([Cut.of(*Points.together(features, scratch=bench))], ks, spare, bench, progress)
    return radii


def radii_within(
    cuts: Sequence[Cut],
    ks: Sequence[int],
    spare: int = _SPARE,
    bench: Bench | None = None,
    progress: Callable[[float], None] | None = None,
) -> list[Tensor]:
    """:func:`dense_radii` of several sets on one device whose panels are made.

    One set's last rows are settled while the next one's tiles are multiplied, so that threads wait but once.
    """
    device, bench = cuts[0].points.features.device, bench or Bench()
    searches = [_Search(cut, ks, spare, bench, ending=cut is cuts[-1]) for cut in cuts]
    tasks = [partial(search.meet, *tile) for search in searches for tile in search.tiles]
    with plain_products():
        each(lambda task: task(), tasks, device, progress)
    radii = [search.radii() for search in searches]
    if any(cut.large for cut in cuts):
        give_back()
    return radii


class _Search:
    """Radii of one set, tile by tile, on many threads.

    Whoever meets the last tile of a piece settles its rows, while others still multiply: many threads that settle at a
    time would wait for each other with every small operation.
    """

    def __init__(self, cut: Cut, ks: Sequence[int], spare: int, bench: Bench, ending: bool) -> None:
        """``ending``: no other set's tiles come after these."""
        self._points, self._pieces, self._panels = cut.points, cut.pieces, cut.panels
        self._ks, self._bench = ks, bench
        n, device = len(cut.points), cut.points.features.device
        starts = [start for start, _ in cut.pieces]
        self._found = Smallest(n, min(max(ks) + spare, n - 1), device, starts=starts)
        self._settled: dict[int, tuple[Tensor, Tensor]] = {}
        # Squares on the diagonal come first: rows then know limits that let little of the other tiles through.
        squares = [(at, at, 0, stop - start) for at, (start, stop) in enumerate(cut.pieces)]
        pairs = list(combinations(range(len(cut.pieces)), 2))
        self.tiles = squares + strips(pairs, cut.pieces, device, ending)
        """What :meth:`meet` is to be called with, each once: pairs of pieces, and from where to where in the first."""
        self._left = Countdown(Counter(at for rows, columns, *_ in self.tiles for at in {rows, columns}))

    def meet(self, rows: int, columns: int, top: int, bottom: int) -> None:
        """Multiply a tile and look for neighbours in it."""
        start, first = self._pieces[rows][0] + top, self._pieces[columns][0]
        if rows == columns:
            self._found.update(start, self._bench.square(self._panels[rows]), first, self._bench)
        else:
            tile = self._bench.tile(self._panels[rows].part(top, bottom), self._panels[columns])
            self._found.update_both(start, tile, first, self._bench)
        for at in {rows, columns}:
            if self._left.was_last(at):
                self._found.settle(at)
                self._settled[at] = self._settle(*self._pieces[at])

    def radii(self) -> Tensor:
        """The radii, when all tiles were met → (N, len(ks)) float64."""
        parts = (self._settled[at] for at in range(len(self._pieces)))
        radii, proved = (torch.cat(part) for part in zip(*parts, strict=True))
        open_rows = (~proved).nonzero().flatten()
        if len(open_rows):
            again, blurred = _radii_float64(self._points, open_rows, self._ks, self._found.c)
            radii[open_rows] = again
            some = blurred.any(dim=1)
            _look_closer(self._points.features, radii, open_rows[some], blurred[some], self._ks)
        return radii

    def _settle(self, start: int, stop: int) -> tuple[Tensor, Tensor]:
        """Radii of some rows from their candidates, and whether these are proved to hold their neighbours."""
        points, found = self._points, self._found
        low, order = torch.as_tensor(found.values[start:stop]).double().sort(dim=1)
        columns = torch.as_tensor(found.columns[start:stop]).gather(1, order).long()
        high = low + points.width[start:stop, None] + points.width[columns]
        ranked_high = high.sort(dim=1).values
        unsure = torch.zeros_like(low, dtype=torch.bool)
        for k in self._ks:
            unsure |= (high >= low[:, k - 1, None]) & (low <= ranked_high[:, k - 1, None])
        i, at = unsure.nonzero(as_tuple=True)
        values = ((low + high) / 2).clamp_min_(0.0).sqrt_().mul_(points.scale)
        values[i, at] = exact_distances(
            points.features, points.features, i + start, columns[i, at], self._bench
        )
        ranked = values.sort(dim=1).values
        radii = torch.stack([ranked[:, k - 1] for k in self._ks], dim=1)
        nearest_unseen = low[:, -1].clamp_min(0.0).sqrt() * points.scale
        proved = (nearest_unseen > radii.amax(dim=1)) | (found.c == len(points) - 1)
        return radii, proved


def _radii_float64(points: Points, rows: Tensor, ks: Sequence[int], c: int) -> tuple[Tensor, Tensor]:
    """Radii of the chosen rows: candidates from a float64 product, all of them then measured exactly.

    And which of them (rows, len(ks)) are but upper bounds. A sample that is no candidate and yet nearer than the
    radius r would have an entry below r² + C(‖x‖² + (‖x‖ + r)²), C as in :mod:`.products` with the unit of float64.
    Where the last candidate has one above, there is none; where that error is small beside r², ties at the edge have
    more equals than there are candidates, and the radius is theirs.
    """
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
    columns = torch.as_tensor(found.columns).flatten().long()
    values = exact_distances(features, features, rows.repeat_interleave(c), columns)
    ranked = values.view(len(rows), c).sort(dim=1).values
    radii = torch.stack([ranked[:, k - 1] for k in ks], dim=1)
    scaled, norms = radii / points.scale, points.norms[rows, None]
    error = 2 * (features.shape[1] + 16) * _UNIT64 * (norms + (norms.sqrt() + scaled).square())
    farthest = torch.as_tensor(found.values).amax(dim=1, keepdim=True)
    proved = farthest >= scaled.square() + error
    return radii, ~proved & (error > _BLUR * scaled.square()) & (radii > 0)


def _look_closer(features: Tensor, radii: Tensor, rows: Tensor, blurred: Tensor, ks: Sequence[int]) -> None:
    """Set those ``radii`` (N, len(ks)) of some rows that are ``blurred`` (rows, len(ks)), one huddle after the other.

    All neighbours of the rows around a first one are as near to it as they are themselves, and their radii farther at
    most: the radii within this part of the set are theirs. Its mean is among them, and no product cancels.
    """
    while len(rows):
        bounds = (radii[rows] * blurred).amax(dim=1)
        first = rows[:1].expand(len(features))
        away = exact_distances(features, features, first, torch.arange(len(features), device=rows.device))
        here = away[rows] <= _NEARBY * bounds[0]
        inside = (away <= (away[rows] + bounds)[here].amax() * (1 + 1e-9)).nonzero().flatten()
        if len(inside) == len(features):  # the first row alone: itself is one zero among these
            radii[rows[0]] = away.sort().values[list(ks)]
            rows, blurred = rows[1:], blurred[1:]
            continue
        for at in blurred[here].any(dim=0).nonzero().flatten().tolist():
            found = dense_radii(features[inside], (ks[at],))[torch.searchsorted(inside, rows[here]), 0]
            radii[rows[here], at] = torch.where(blurred[here, at], found, radii[rows[here], at])
        rows, blurred = rows[~here], blurred[~here]
