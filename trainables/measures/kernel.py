"""The kernel distance KID: an unbiased estimate of a squared maximum mean discrepancy.

Bińkowski et al., *Demystifying MMD GANs*, 2018; kernel k(x, y) = (⟨x, y⟩/d + 1)³.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from trainables.measures.arrays import as_features, check_pair
from trainables.measures.polynomial import shifted_cube_

__all__ = ["KernelEstimate", "kernel_distance", "kernel_distance_blocks", "kernel_estimate"]

Progress = Callable[[int, int], None]

_STEP = 1024  # rows and columns of a tile


@dataclass(frozen=True)
class KernelEstimate:
    """An unbiased MMD² with its variance in two parts.

    - ``linear``: of the effects of single samples, which vanishes when the laws agree;
    - ``pairs``: of what pairs of samples add to them, which is then all there is.
    """

    value: float
    linear: float
    pairs: float


def kernel_distance(real: Tensor | np.ndarray, fake: Tensor | np.ndarray) -> float:
    """Unbiased MMD² of two whole sets (n, d) and (m, d); may be slightly negative when they agree.

    1/(n(n-1)) Σ_{i≠j} k(x_i, x_j) + 1/(m(m-1)) Σ_{i≠j} k(y_i, y_j) - 2/(nm) Σ k(x_i, y_j)   (Bińkowski eq. 4)
    """
    return kernel_estimate(real, fake).value


def kernel_estimate(
    real: Tensor | np.ndarray, fake: Tensor | np.ndarray, progress: Progress | None = None
) -> KernelEstimate:
    """:func:`kernel_distance` and its variance from one pass: (n²/2 + m²/2 + nm)·d multiply-adds, in tiles, float64.

    The distance is a U-statistic of two samples. With h(x) = E k(x, X) - E k(x, Y) and g(y) = E k(y, Y) - E k(X, y),

        Var = 4 Var h/n + 4 Var g/m + 2ζ_xx/n(n-1) + 2ζ_yy/m(m-1) + 4ζ_xy/nm,

    ζ the variances of the doubly centred kernels (Hoeffding 1948). h and g are estimated by means over rows, whose own
    noise adds twice the last three terms to the first two: it is taken off, and what is left is at least 0.
    """
    x, y = check_pair(as_features(real, "real features"), as_features(fake, "fake features"))
    n, m = len(x), len(y)
    if min(n, m) < 2:
        raise ValueError(f"KID needs at least 2 samples in each set, got {n} real and {m} fake")
    count = _Count(_tiles(n, m), progress)
    of_x, of_y = _within(x, count), _within(y, count)
    across = _Sums.of(n, m, x)
    for i, start in _pieces(x):
        for j, first in _pieces(y):
            across.add(_kernel(i, j), start, first)
            count.one_more()
    distance = float(of_x.mean() + of_y.mean() - 2 * across.mean())
    h, g = of_x.rows / (n - 1) - across.rows / m, of_y.rows / (m - 1) - across.columns / n
    noisy = float(4 * h.var() / n + 4 * g.var() / m)
    pairs = float(
        2 * of_x.interaction() / (n * (n - 1))
        + 2 * of_y.interaction() / (m * (m - 1))
        + 4 * across.interaction() / (n * m)
    )
    if not all(map(math.isfinite, (distance, noisy, pairs))):
        raise ValueError("the cubic kernel of KID overflows float64 on these features; rescale them")
    return KernelEstimate(distance, max(noisy - 2 * pairs, 0.0), pairs)


def kernel_distance_blocks(
    real: Tensor | np.ndarray,
    fake: Tensor | np.ndarray,
    size: int = 1000,
    seed: int = 0,
    subsets: int | None = None,
    progress: Progress | None = None,
) -> np.ndarray:
    """Unbiased MMD² of pairs of subsets; KID is their mean, and their spread its uncertainty → (blocks,).

    By default the shuffled sets are cut into disjoint blocks: independent values, so resampling them is an
    honest bootstrap, and to first order no less precise than using all pairs. Blocks hold ``size`` samples, or
    a tenth of the smaller set if that is less. With ``subsets`` given, that many overlapping random subsets of
    ``size`` are drawn instead, the convention of published KIDs (100 of 1000).
    """
    x, y = check_pair(as_features(real, "real features"), as_features(fake, "fake features"))
    smaller = min(len(x), len(y))
    if smaller < 4:
        raise ValueError(f"KID needs at least 4 samples in each set, got {len(x)} real and {len(y)} fake")
    rng = np.random.default_rng(seed)
    if subsets is None:
        size = max(2, min(size, smaller // 10))
        order_x, order_y = rng.permutation(len(x)), rng.permutation(len(y))
        cuts = range(0, smaller - size + 1, size)
        parts = [(order_x[start : start + size], order_y[start : start + size]) for start in cuts]
    else:
        if size > smaller:
            raise ValueError(
                f"subsets of {size} need as many samples in each set, got {len(x)} real and {len(y)} fake; "
                "use smaller subsets or more samples"
            )
        parts = [
            (rng.choice(len(x), size, replace=False), rng.choice(len(y), size, replace=False))
            for _ in range(subsets)
        ]
    values = []
    for done, (i, j) in enumerate(parts, start=1):
        values.append(kernel_distance(x[torch.from_numpy(i)], y[torch.from_numpy(j)]))
        if progress is not None:
            progress(done, len(parts))
    return np.array(values)


@dataclass
class _Sums:
    """Sums of a kernel matrix (n, m) over its rows (n,), its columns (m,), and of its squares.

    A matrix of a set with itself has no diagonal: a sample is not paired with itself.
    """

    rows: Tensor
    columns: Tensor
    squares: Tensor
    same: bool

    @classmethod
    def of(cls, n: int, m: int, like: Tensor, same: bool = False) -> _Sums:
        rows, columns, squares = (
            torch.zeros(size, dtype=torch.float64, device=like.device) for size in ((n,), (m,), ())
        )
        return cls(rows, columns, squares, same)

    def add(self, tile: Tensor, row: int, column: int) -> None:
        self.rows[row : row + tile.shape[0]] += tile.sum(dim=1)
        self.columns[column : column + tile.shape[1]] += tile.sum(dim=0)
        self.squares += torch.linalg.vector_norm(tile).square()

    def mean(self) -> Tensor:
        n, m = len(self.rows), len(self.columns)
        return self.rows.sum() / (n * (m - 1 if self.same else m))

    def interaction(self) -> Tensor:
        """Mean square of k_ij - r_i - c_j + k̄, r and c the means of rows and columns, over all pairs."""
        n, m = len(self.rows), len(self.columns)
        mean, pairs = self.mean(), n * (m - 1 if self.same else m)
        if self.same:
            r = self.rows / (n - 1) - mean
            # Σ_{i≠j} (k_ij - k̄)² - 2 Σ (k_ij - k̄)(r_i + r_j) + Σ (r_i + r_j)², with Σ r = 0
            total = self.squares - pairs * mean.square() - 2 * n * r.square().sum()
        else:
            r, c = self.rows / m - mean, self.columns / n - mean
            total = self.squares - pairs * mean.square() - m * r.square().sum() - n * c.square().sum()
        return (total / pairs).clamp_min(0.0)


class _Count:
    """Tells how many tiles are done."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._done, self._total, self._progress = 0, total, progress

    def one_more(self) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._total)


def _tiles(n: int, m: int) -> int:
    a, b = math.ceil(n / _STEP), math.ceil(m / _STEP)
    return a * (a + 1) // 2 + b * (b + 1) // 2 + a * b


def _pieces(x: Tensor) -> Iterator[tuple[Tensor, int]]:
    for start in range(0, len(x), _STEP):
        yield x[start : start + _STEP].double(), start


def _within(x: Tensor, count: _Count) -> _Sums:
    """Sums of the kernel of a set with itself, from the tiles on and above the diagonal."""
    sums = _Sums.of(len(x), len(x), x, same=True)
    for rows, start in _pieces(x):
        for columns, first in _pieces(x):
            if first < start:
                continue
            tile = _kernel(rows, columns)
            if first == start:
                tile.fill_diagonal_(0.0)
            else:
                sums.add(tile.T, first, start)
            sums.add(tile, start, first)
            count.one_more()
    return sums


def _kernel(x: Tensor, y: Tensor) -> Tensor:
    """(⟨x_i, y_j⟩/d + 1)³ - 1, (n, d) and (m, d) → (n, m): constants cancel in all that is made of it here."""
    return shifted_cube_((x @ y.T).div_(x.shape[1]))
