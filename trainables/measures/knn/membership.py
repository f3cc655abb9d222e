"""Who lies in whose ball, exactly, in any dimension, at the cost of one float32 product."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
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
from trainables.measures.knn.exact import exact_distances
from trainables.measures.knn.hits import Entries, Hits, hits, lots
from trainables.measures.knn.lent import Lent
from trainables.measures.knn.numbers import numbers
from trainables.measures.knn.products import Points, plain_products
from trainables.measures.knn.workers import each

__all__ = ["Membership", "dense_membership"]

_PIECE = 1 << 17  # pairs counted at a time
_WAITING = 1 << 13  # pairs in balls, until a thread counts them while others multiply
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


def dense_membership(
    x: Points,
    fakes: Cut,
    real_radii: Tensor,
    fake_radii: Tensor,
    strict: bool,
    bench: Bench | None = None,
    progress: Callable[[float], None] | None = None,
) -> Membership:
    """Counts for reals (N, d), fakes (M, d), seen together, and their radii (N, R), (M, R); closed unless ``strict``.

    N·M·d multiply-adds in float32 and two comparisons per pair; the rest is O(R) per pair that lies in some ball.
    Memory: a few panels of the reals, unless these serve as they are; per thread a tile and its pairs in balls.
    """
    y, columns = fakes.points, fakes.pieces
    device, bench = x.features.device, bench or Bench()
    of_x, of_y = _Copies(x.features), _Copies(y.features)
    real = _Balls(x, y, real_radii, (of_x, of_y), strict, bench)
    fake = _Balls(y, x, fake_radii, (of_y, of_x), strict, bench)
    rows = pieces(len(x), device)
    every = strips(list(product(range(len(rows)), range(len(columns)))), rows, device)
    lent = Lent(x, rows, Counter(at for at, *_ in every))

    def meet(at: int, to: int, top: int, bottom: int) -> None:
        start, (first, last) = rows[at][0], columns[to]
        with lent.panel(at) as left:
            tile = bench.tile(left.part(top, bottom), fakes.panels[to])
        here, there = real.limits[start + top : start + bottom], fake.limits[first:last]
        in_real, in_fake = hits(tile, start + top, first, here, there, bench)
        real.meet(in_real)
        fake.meet(in_fake)

    # Panels are made so far ahead that as many threads as there are tiles in between need not wait for them.
    ahead = 1 + torch.get_num_threads() // len(columns) if device.type == "cpu" else 0
    tasks = [partial(lent.make, at) for at in range(min(ahead, len(rows)))]
    for at, of_row in groupby(every, key=itemgetter(0)):
        tasks += [partial(lent.make, at + ahead)] if at + ahead < len(rows) else []
        tasks += [partial(meet, *tile) for tile in of_row]
    with plain_products():
        each(lambda task: task(), tasks, device, progress)
    each(_Balls.settle, (real, fake), device)
    return Membership(real.around, real.inside, fake.around, fake.inside)


class _Balls:
    """Counts who lies in the balls of one set, by bounds of squared distances, and exactly where these leave it open.

    - ``limits`` (N,) float32, an array on a CPU: no lower bound at or above it is in any of the centre's balls;
    - ``inside`` (N, R): how many of the others each ball holds; ``around`` (M, R): in how many balls each other lies.
    """

    def __init__(
        self,
        centres: Points,
        others: Points,
        radii: Tensor,
        copies: tuple[_Copies, _Copies],
        strict: bool,
        bench: Bench,
    ) -> None:
        """``radii`` (N, R); ``copies`` of the centres and of the others."""
        self._centres, self._others, self._copies, self._bench = centres, others, copies, bench
        self._radii = radii
        self._squared = (radii / centres.scale).square()
        self._compare = torch.lt if strict else torch.le
        above = torch.full((), torch.inf, device=radii.device)
        # The first step up may only undo the rounding to float32; the second one is above.
        limits = torch.nextafter(self._squared.amax(dim=1).float(), above)
        self.limits = numbers(torch.nextafter(limits, above))
        self.inside, self.around = (
            torch.zeros(len(points), radii.shape[1], dtype=torch.int64, device=radii.device)
            for points in (centres, others)
        )
        self._lock = Lock()
        self._waiting: list[Hits] = []

    def meet(self, found: Hits) -> None:
        """Meet pairs (centre, other) by their lower bounds; they wait until there are many."""
        if not len(found):
            return
        with self._lock:
            self._waiting.append(found)
            if sum(map(len, self._waiting)) < _WAITING:
                return
            ready, self._waiting = self._waiting, []
        self._count(ready)

    def settle(self) -> None:
        """Count the pairs that wait."""
        waiting, self._waiting = self._waiting, []
        self._count(waiting)

    def _count(self, found: Sequence[Hits]) -> None:
        """Count pairs in the balls they lie in."""
        for lot in lots(found, _PIECE):
            pairs = Entries.of(lot)
            i, j, low = map(torch.as_tensor, (pairs.rows, pairs.columns, pairs.values))
            low = low.double()
            high = low + self._centres.width[i] + self._others.width[j]
            for r in range(self._radii.shape[1]):
                held = self._held(r, i, j, low, high)
                inside, around = _tally(i[held], len(self.inside)), _tally(j[held], len(self.around))
                with self._lock:
                    self.inside[:, r] += inside
                    self.around[:, r] += around

    def _held(self, r: int, i: Tensor, j: Tensor, low: Tensor, high: Tensor) -> Tensor:
        """Which pairs lie in the r-th ball of their centre → (h,) bool."""
        squared = self._squared[i, r]
        held = high <= squared * (1 - _ROUNDING)
        open_pairs = ((low <= squared * (1 + _ROUNDING)) ^ held).nonzero().flatten()
        if len(open_pairs):
            i, j = i[open_pairs], j[open_pairs]
            held[open_pairs] = self._compare(self._distances(i, j), self._radii[i, r])
        return held

    def _distances(self, i: Tensor, j: Tensor) -> Tensor:
        """Exact distances; when many pairs are open, samples that coincide are measured once."""
        x, y = self._centres.features, self._others.features
        if len(i) <= 16 * x.shape[1]:
            return exact_distances(x, y, i, j, self._bench)
        centres, others = (copies.first() for copies in self._copies)
        keys, back = (centres[i] * len(y) + others[j]).unique(return_inverse=True)
        return exact_distances(x, y, keys // len(y), keys % len(y), self._bench)[back]


class _Copies:
    """Which rows of a set (N, d) coincide, found when first asked for."""

    def __init__(self, features: Tensor) -> None:
        self._features = features
        self._lock = Lock()
        self._first: Tensor | None = None

    def first(self) -> Tensor:
        """For each row the index of the first row equal to it → (N,)."""
        with self._lock:
            if self._first is None:
                array = np.ascontiguousarray(self._features.cpu().numpy())
                rows = array.view(np.dtype((np.void, array.dtype.itemsize * array.shape[1]))).ravel()
                _, first, back = np.unique(rows, return_index=True, return_inverse=True)
                self._first = torch.from_numpy(first[back]).to(self._features.device)
            return self._first


def _tally(index: Tensor, size: int) -> Tensor:
    return torch.bincount(index, minlength=size)
