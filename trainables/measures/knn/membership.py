"""Who lies in whose ball, exactly, in any dimension, at the cost of one float32 product."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from trainables.measures.knn.products import Points, exact_distances, full_float32, lower_bounds, tiles
from trainables.measures.knn.radii import tile_side

__all__ = ["Membership", "dense_membership"]


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
    """Radii as float32 thresholds on bounds of the squared distance: above ``out`` is out, up to ``inside`` in."""

    def __init__(self, radii: Tensor, scale: float) -> None:
        self.radii = radii
        squared = (radii / scale).square()
        up, down = (
            torch.full((), v, dtype=torch.float32, device=radii.device) for v in (torch.inf, -torch.inf)
        )
        # Two float32 steps outwards cover the rounding of the square; the open interval is measured exactly.
        self.out = torch.nextafter(torch.nextafter(squared.float(), up), up)
        self.inside = torch.nextafter(torch.nextafter(squared.float(), down), down)


def dense_membership(
    real: Tensor, fake: Tensor, real_radii: Tensor, fake_radii: Tensor, strict: bool
) -> Membership:
    """Counts for ``real`` (N, d), ``fake`` (M, d) and their radii (N, R), (M, R); closed balls unless ``strict``."""
    x, y = Points.together(real, fake)
    real_balls, fake_balls = _Balls(real_radii, x.scale), _Balls(fake_radii, x.scale)
    counts = Membership.empty(len(x), len(y), real_radii.shape[1], real.device)
    pairs = _Pairs(real, fake, strict)
    side = tile_side(real.device)
    moved = x.panel(0, len(x), -2.0)
    with full_float32():
        for first, last in tiles(len(y), side):
            columns, column_norms = y.columns(first, last), y.low_norms(first, last)
            for start, stop in tiles(len(x), side):
                bound = lower_bounds(moved[start:stop], columns, x.low_norms(start, stop), column_norms)
                rows, cols = slice(start, stop), slice(first, last)
                maybe = _inside(bound, real_balls.out[rows], fake_balls.out[cols])
                bound.add_(x.width(start, stop)[:, None]).add_(y.width(first, last))
                surely = _inside(bound, real_balls.inside[rows], fake_balls.inside[cols])
                _add(counts, surely, start, first)
                pairs.settle(counts, maybe, surely, (start, first), real_radii, fake_radii)
    return counts


def _inside(bound: Tensor, real_limit: Tensor, fake_limit: Tensor) -> list[tuple[Tensor, Tensor]]:
    """For every choice of radii: entries within the row's limit, entries within the column's limit."""
    return [(bound <= real_limit[:, r, None], bound <= fake_limit[:, r]) for r in range(real_limit.shape[1])]


def _add(counts: Membership, masks: list[tuple[Tensor, Tensor]], start: int, first: int) -> None:
    for r, (in_real, in_fake) in enumerate(masks):
        n, m = in_real.shape
        counts.real_balls_around_fake[first : first + m, r] += _count(in_real, 0)
        counts.fakes_in_real_ball[start : start + n, r] += _count(in_real, 1)
        counts.fake_balls_around_real[start : start + n, r] += _count(in_fake, 1)
        counts.reals_in_fake_ball[first : first + m, r] += _count(in_fake, 0)


def _count(mask: Tensor, dim: int) -> Tensor:
    """Number of true entries along ``dim``; on a CPU by byte sums, which torch would widen to int64 first."""
    if mask.device.type != "cpu":
        return mask.sum(dim=dim)
    array = mask.numpy()
    if dim == 1:
        return torch.from_numpy(np.count_nonzero(array, axis=1).astype(np.int64))
    total = np.zeros(array.shape[1], dtype=np.int64)
    for start in range(0, len(array), 127):
        total += np.add.reduce(array[start : start + 127].view(np.int8), axis=0, dtype=np.int8)
    return torch.from_numpy(total)


class _Pairs:
    """Settles pairs that the bounds leave open by their exact distance."""

    def __init__(self, real: Tensor, fake: Tensor, strict: bool) -> None:
        self.real, self.fake = real, fake
        self.compare = torch.lt if strict else torch.le
        self._names: tuple[Tensor, Tensor] | None = None

    def settle(
        self,
        counts: Membership,
        maybe: list[tuple[Tensor, Tensor]],
        surely: list[tuple[Tensor, Tensor]],
        corner: tuple[int, int],
        real_radii: Tensor,
        fake_radii: Tensor,
    ) -> None:
        """Add the open pairs of one tile that prove to be inside."""
        for r, (upper, lower) in enumerate(zip(maybe, surely, strict=True)):
            for which, (possible, certain) in enumerate(zip(upper, lower, strict=True)):
                open_pairs = possible ^ certain
                if not bool(open_pairs.any()):
                    continue
                i, j = open_pairs.nonzero(as_tuple=True)
                i, j = i + corner[0], j + corner[1]
                radius = real_radii[i, r] if which == 0 else fake_radii[j, r]
                hit = self.compare(self.distances(i, j), radius)
                self._tally(counts, which, r, i[hit], j[hit])

    def distances(self, i: Tensor, j: Tensor) -> Tensor:
        """Exact distances; when many pairs are open, samples that coincide are measured once."""
        if len(i) <= 16 * self.real.shape[1]:
            return exact_distances(self.real, self.fake, i, j)
        if self._names is None:
            self._names = (_first_copy(self.real), _first_copy(self.fake))
        keys, back = (self._names[0][i] * len(self.fake) + self._names[1][j]).unique(return_inverse=True)
        return exact_distances(self.real, self.fake, keys // len(self.fake), keys % len(self.fake))[back]

    @staticmethod
    def _tally(counts: Membership, which: int, r: int, i: Tensor, j: Tensor) -> None:
        fakes = counts.real_balls_around_fake if which == 0 else counts.reals_in_fake_ball
        reals = counts.fakes_in_real_ball if which == 0 else counts.fake_balls_around_real
        fakes[:, r] += torch.bincount(j, minlength=len(fakes))
        reals[:, r] += torch.bincount(i, minlength=len(reals))


def _first_copy(x: Tensor) -> Tensor:
    """For each row the index of the first row equal to it, (N, d) → (N,)."""
    array = np.ascontiguousarray(x.cpu().numpy())
    rows = array.view(np.dtype((np.void, array.dtype.itemsize * array.shape[1]))).ravel()
    _, first, back = np.unique(rows, return_index=True, return_inverse=True)
    return torch.from_numpy(first[back]).to(x.device)
