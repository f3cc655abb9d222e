"""Who lies in whose ball, exactly, in any dimension, at the cost of one float32 product."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import groupby, product
from operator import itemgetter
from threading import Lock

import numpy as np
import torch
from torch import Tensor

from trainables.measures.knn.bench import Bench
from trainables.measures.knn.cut import Cut, pieces, strips
from trainables.measures.knn.hits import Hits, hits
from trainables.measures.knn.lent import Lent
from trainables.measures.knn.products import Points, exact_distances, plain_products
from trainables.measures.knn.workers import each

__all__ = ["Membership", "dense_membership"]

_PIECE = 1 << 17  # pairs counted at a time
_WAITING = 1 << 15  # pairs in balls, until a thread counts them while others multiply
_ROUNDING = 2.0**-50  # relative error of a squared radius in float64


@dataclass(frozen=True)
class Membership:
    """Four counts per pair of sets and per choice of radii (R columns).

    - ``real_balls_around_fake`` (M, R), ``fakes_in_real_ball`` (N, R): sums over the balls of the reals;
    - ``fake_balls_around_real`` (N, R), ``reals_in_fake_ball`` (M, R): sums over the balls of the fakes.
    """

    real_balls_around_fake: Tensor
    fakes_in_real_ball: Tensor
    fake_balls_around_real: Tensor
    reals_in_fake_ball: Tensor

    @classmethod
    def empty(cls, n: int, m: int, radii: int, device: torch.device) -> Membership:
        """All counts zero."""
        return cls(*(torch.zeros(size, radii, dtype=torch.int64, device=device) for size in (m, n, n, m)))


class _Balls:
    """Balls of one set of centres, as limits on bounds of the squared distance.

    - ``radii`` (N, R) as given;
    - ``squared`` (N, R) float64: radii squared in the scale of the points;
    - ``limits`` (N,) float32: no lower bound at or above it is in any of the centre's balls;
    - ``width`` (N,) float64: the centre's part of upper minus lower bound.
    """

    def __init__(self, radii: Tensor, points: Points) -> None:
        self.radii = radii
        self.squared = (radii / points.scale).square()
        self.width = points.width
        above = torch.full((), torch.inf, device=radii.device)
        # The first step up may only undo the rounding to float32; the second one is above.
        limits = torch.nextafter(self.squared.amax(dim=1).float(), above)
        self.limits = torch.nextafter(limits, above)


def dense_membership(
    x: Points, fakes: Cut, real_radii: Tensor, fake_radii: Tensor, strict: bool
) -> Membership:
    """Counts for reals (N, d), fakes (M, d), seen together, and their radii (N, R), (M, R); closed unless ``strict``.

    N·M·d multiply-adds in float32 and two comparisons per pair; the rest is O(R) per pair that lies in some ball.
    Memory: a few panels of the reals, unless these serve as they are; per thread a tile and its pairs in balls.
    """
    y, columns = fakes.points, fakes.pieces
    device = x.features.device
    pairs = _Pairs(x.features, y.features, _Balls(real_radii, x), _Balls(fake_radii, y), strict)
    rows = pieces(len(x), device)
    bench = Bench()
    every = strips(list(product(range(len(rows)), range(len(columns)))), rows, device)
    lent = Lent(x, rows, Counter(at for at, *_ in every))

    def meet(at: int, to: int, top: int, bottom: int) -> None:
        start, (first, last) = rows[at][0], columns[to]
        with lent.panel(at) as left:
            tile = bench.tile(left.part(top, bottom), fakes.panels[to])
        here, there = pairs.x.limits[start + top : start + bottom], pairs.y.limits[first:last]
        pairs.meet(hits(tile, start + top, first, here, there, bench))

    # Panels are made so far ahead that as many threads as there are tiles in between need not wait for them.
    ahead = 1 + torch.get_num_threads() // len(columns) if device.type == "cpu" else 0
    tasks = [partial(lent.make, at) for at in range(min(ahead, len(rows)))]
    for at, of_row in groupby(every, key=itemgetter(0)):
        tasks += [partial(lent.make, at + ahead)] if at + ahead < len(rows) else []
        tasks += [partial(meet, *tile) for tile in of_row]
    with plain_products():
        each(lambda task: task(), tasks, device)
    pairs.settle()
    return pairs.counts


class _Pairs:
    """Counts pairs by their lower bounds, and by their exact distance where the bounds leave it open."""

    def __init__(self, real: Tensor, fake: Tensor, x: _Balls, y: _Balls, strict: bool) -> None:
        self.real, self.fake = real, fake
        self.x, self.y = x, y
        self.compare = torch.lt if strict else torch.le
        self.counts = Membership.empty(len(real), len(fake), x.radii.shape[1], real.device)
        self._names: tuple[Tensor, Tensor] | None = None
        self._lock = Lock()
        self._waiting: list[Hits] = []

    def meet(self, found: Hits) -> None:
        """Meet pairs (real i, fake j) by their lower bounds; they wait until there are many."""
        with self._lock:
            self._waiting.append(found)
            if sum(map(len, self._waiting)) < _WAITING:
                return
            ready, self._waiting = self._waiting, []
        for part in Hits.joined(ready).split(_PIECE):
            self._count(part)

    def settle(self) -> None:
        """Count the pairs that wait."""
        if self._waiting:
            waiting, self._waiting = Hits.joined(self._waiting), []
            self._count(waiting)

    def _count(self, found: Hits) -> None:
        """Count pairs in the balls they lie in."""
        i, j, low = found.rows.long(), found.columns.long(), found.values.double()
        high = low + self.x.width[i] + self.y.width[j]
        counts = self.counts
        for r in range(self.x.radii.shape[1]):
            in_real = self._inside(self.x, r, i, i, j, low, high)
            in_fake = self._inside(self.y, r, j, i, j, low, high)
            with self._lock:
                counts.real_balls_around_fake[:, r] += _tally(j[in_real], len(self.fake))
                counts.fakes_in_real_ball[:, r] += _tally(i[in_real], len(self.real))
                counts.fake_balls_around_real[:, r] += _tally(i[in_fake], len(self.real))
                counts.reals_in_fake_ball[:, r] += _tally(j[in_fake], len(self.fake))

    def _inside(
        self, balls: _Balls, r: int, centre: Tensor, i: Tensor, j: Tensor, low: Tensor, high: Tensor
    ) -> Tensor:
        """Which pairs lie in the r-th ball of their ``centre`` → (h,) bool."""
        squared = balls.squared[centre, r]
        inside = high <= squared * (1 - _ROUNDING)
        open_pairs = ((low <= squared * (1 + _ROUNDING)) ^ inside).nonzero().flatten()
        if len(open_pairs):
            i, j = i[open_pairs], j[open_pairs]
            inside[open_pairs] = self.compare(self._distances(i, j), balls.radii[centre[open_pairs], r])
        return inside

    def _distances(self, i: Tensor, j: Tensor) -> Tensor:
        """Exact distances; when many pairs are open, samples that coincide are measured once."""
        if len(i) <= 16 * self.real.shape[1]:
            return exact_distances(self.real, self.fake, i, j)
        with self._lock:
            if self._names is None:
                self._names = (_first_copy(self.real), _first_copy(self.fake))
        keys, back = (self._names[0][i] * len(self.fake) + self._names[1][j]).unique(return_inverse=True)
        return exact_distances(self.real, self.fake, keys // len(self.fake), keys % len(self.fake))[back]


def _tally(index: Tensor, size: int) -> Tensor:
    return torch.bincount(index, minlength=size)


def _first_copy(x: Tensor) -> Tensor:
    """For each row the index of the first row equal to it, (N, d) → (N,)."""
    array = np.ascontiguousarray(x.cpu().numpy())
    rows = array.view(np.dtype((np.void, array.dtype.itemsize * array.shape[1]))).ravel()
    _, first, back = np.unique(rows, return_index=True, return_inverse=True)
    return torch.from_numpy(first[back]).to(x.device)
