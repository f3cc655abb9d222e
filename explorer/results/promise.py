"""What theory promises of λ: no model has a larger α_λ than the one that was trained at that λ.

Training on D_λ maximises α_λ = min(1, λ) - D_λ(P‖Q) (thesis, Theorem 4.2.4). So α_λ of every trial is read off its PR
curve at every λ that was tried. It is compared as a share of the most it can be, α_λ / min(1, λ): that is α_λ for λ ≥ 1
and the recall β_λ below, so that small λ weigh as much as large ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorer.results.permutation import permutations, upper_share
from explorer.store.schema import TRADE_OFFS

__all__ = ["BINS", "MOST_LEVELS", "OwnLambda", "levels_of", "own_lambda", "shares_at", "shares_at_own"]

MOST_LEVELS = 12
"""Values of λ that are told apart. More (a continuous λ) are gathered in ``BINS`` neighbourhoods."""
BINS = 6
ONE_SIDED = {2: 6.31, 3: 2.92, 4: 2.35, 5: 2.13, 6: 2.02, 7: 1.94, 8: 1.89, 9: 1.86, 10: 1.83}
"""95% points of Student's t for a mean over that many seeds; 1.7 beyond."""

_Array = NDArray[np.float64]


@dataclass(frozen=True)
class OwnLambda:
    """How models fare at the λ they were trained at, over m levels of λ.

    Attributes:
        levels: the λ; of a neighbourhood, its geometric mean.
        shares: mean of α_λ / min(1, λ), a row per level that was trained at, a column per level that is asked for.
        best: the level whose models are best at each level.
        regret: by how much they are better there than its own models, 0 where its own are best.
        within: whether that is no more than what differs from seed to seed (one-sided 95%, paired by seed); None of a
            single seed.
        gain: mean over trials of the share at the own λ, less the mean of all trials there.
        p: the share of permutations of λ within seeds that gain as much.
    """

    levels: tuple[float, ...]
    shares: tuple[tuple[float, ...], ...]
    best: tuple[float, ...]
    regret: tuple[float, ...]
    within: tuple[bool | None, ...]
    gain: float
    p: float

    @property
    def hits(self) -> int:
        """Levels at which the own models are best."""
        return sum(best == level for best, level in zip(self.best, self.levels, strict=True))

    @property
    def worst(self) -> tuple[float, float, float]:
        """The largest regret, the λ where it is, and the λ whose models are better there."""
        at = int(np.argmax(self.regret))
        return self.regret[at], self.levels[at], self.best[at]

    def as_dict(self) -> dict[str, Any]:
        """Plain dictionaries and lists, ready for JSON."""
        return {
            "levels": list(self.levels),
            "shares": [list(row) for row in self.shares],
            "best": list(self.best),
            "regret": list(self.regret),
            "within_noise": list(self.within),
            "own_best": self.hits,
            "gain": self.gain,
            "p": self.p,
        }


def levels_of(lambdas: ArrayLike) -> tuple[tuple[float, ...], NDArray[np.int64]]:
    """The levels of λ > 0 and which of them each of ``lambdas`` (n,) belongs to, (n,).

    Few distinct values are levels themselves; many are cut into neighbourhoods of equal numbers by their order.
    """
    distinct, which = np.unique(np.asarray(lambdas, dtype=np.float64), return_inverse=True)
    if len(distinct) <= MOST_LEVELS:
        return tuple(distinct.tolist()), which
    bins = np.arange(len(distinct)) * BINS // len(distinct)
    centres = [float(np.exp(np.log(distinct[bins == b]).mean())) for b in range(BINS)]
    return tuple(centres), bins[which]


def shares_at(alphas: _Array, lambdas: ArrayLike) -> _Array:
    """(n, m) α_λ / min(1, λ) at m values of λ, from α at ``TRADE_OFFS`` (n, 121): straight lines between them."""
    lam = np.asarray(lambdas, dtype=np.float64)
    left = _left(lam)
    return _between(alphas[:, left], alphas[:, left + 1], lam, left)


def shares_at_own(alphas: _Array, lambdas: ArrayLike) -> _Array:
    """(n,) the same of every curve at a λ of its own, (n,)."""
    lam = np.asarray(lambdas, dtype=np.float64)
    left, rows = _left(lam), np.arange(len(lam))
    return _between(alphas[rows, left], alphas[rows, left + 1], lam, left)


def _left(lam: _Array) -> NDArray[np.int64]:
    """The last of ``TRADE_OFFS`` that is not beyond, and has one after it."""
    return np.clip(np.searchsorted(TRADE_OFFS, lam, side="right") - 1, 0, len(TRADE_OFFS) - 2)


def _between(low: _Array, high: _Array, lam: _Array, left: NDArray[np.int64]) -> _Array:
    grid = np.asarray(TRADE_OFFS)
    slope = (high - low) / (grid[left + 1] - grid[left])
    found: _Array = (slope * (lam - grid[left]) + low) / np.minimum(1.0, lam)
    return found


def own_lambda(
    lambdas: ArrayLike, alphas: ArrayLike, seeds: Sequence[int | None] | NDArray[np.int64]
) -> OwnLambda | None:
    """The comparison for n trials: their λ, their α_λ at ``TRADE_OFFS`` (n, 121), their seeds (-1 or None: none).

    None where fewer than two levels can be compared. O(n · levels + permutations · n log n).
    """
    asked = np.asarray(lambdas, dtype=np.float64)
    inside = (asked >= TRADE_OFFS[0]) & (asked <= TRADE_OFFS[-1])
    if len(np.unique(asked[inside])) < 2:
        return None
    strata = np.array([-1 if seed is None else seed for seed in seeds], dtype=np.int64)[inside]
    levels, level = levels_of(asked[inside])
    shares = shares_at(np.asarray(alphas, dtype=np.float64)[inside], levels)
    means = _means(shares, level, len(levels))
    best = means.argmax(axis=0)
    regret = means.max(axis=0) - means.diagonal()
    best = np.where(regret > 0, best, np.arange(len(levels)))
    gain, p = _gain(shares, level, strata)
    return OwnLambda(
        levels=levels,
        shares=tuple(tuple(row) for row in means.tolist()),
        best=tuple(levels[i] for i in best),
        regret=tuple(regret.tolist()),
        within=_within(shares, level, best, strata),
        gain=gain,
        p=p,
    )


def _means(shares: _Array, part: NDArray[np.int64], parts: int) -> _Array:
    """(parts, m) means of the rows of each part, which all have some."""
    order = np.argsort(part, kind="stable")
    starts = np.searchsorted(part[order], np.arange(parts))
    return np.add.reduceat(shares[order], starts, axis=0) / np.bincount(part, minlength=parts)[:, None]


def _gain(shares: _Array, level: NDArray[np.int64], strata: NDArray[np.int64]) -> tuple[float, float]:
    above = shares - shares.mean(axis=0)
    trials = np.arange(len(level))
    gain = float(above[trials, level].mean())
    flat, begin = above.ravel(), trials * above.shape[1]
    drawn = np.concatenate([flat[level[rows] + begin].mean(axis=1) for rows in permutations(strata)])
    return gain, upper_share(gain, drawn)


def _within(
    shares: _Array, level: NDArray[np.int64], best: NDArray[np.int64], strata: NDArray[np.int64]
) -> tuple[bool | None, ...]:
    """Per level, whether the mean difference to the best one there, paired by seed, may be that of seeds alone."""
    seeds, seed = np.unique(strata, return_inverse=True)
    levels = len(best)
    cells, cell = np.unique(level * len(seeds) + seed, return_inverse=True)
    means = np.full((levels * len(seeds), levels), np.nan)
    means[cells] = _means(shares, cell, len(cells))
    of = means.reshape(levels, len(seeds), levels)  # trained at, seed, asked for
    told: list[bool | None] = []
    for at, other in enumerate(best.tolist()):
        apart = of[other, :, at] - of[at, :, at]
        apart = apart[~np.isnan(apart)]
        if other == at:
            told.append(True)
        elif len(apart) < 2:
            told.append(None)
        else:
            error = float(apart.std(ddof=1)) / np.sqrt(len(apart))
            told.append(bool(apart.mean() <= ONE_SIDED.get(len(apart), 1.7) * error))
    return tuple(told)
