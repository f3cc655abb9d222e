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
from numpy.typing import NDArray

from explorer.results.permutation import permutations, upper_share
from explorer.store.schema import TRADE_OFFS

__all__ = ["MOST_LEVELS", "OwnLambda", "levels_of", "own_lambda"]

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


def levels_of(lambdas: Sequence[float]) -> tuple[tuple[float, ...], NDArray[np.int64]]:
    """The levels of λ > 0 and which of them each of ``lambdas`` (n,) belongs to, (n,).

    Few distinct values are levels themselves; many are cut into neighbourhoods of equal numbers by their order.
    """
    distinct, which = np.unique(np.asarray(lambdas, dtype=np.float64), return_inverse=True)
    if len(distinct) <= MOST_LEVELS:
        return tuple(distinct.tolist()), which
    bins = np.arange(len(distinct)) * BINS // len(distinct)
    centres = [float(np.exp(np.log(distinct[bins == b]).mean())) for b in range(BINS)]
    return tuple(centres), bins[which]


def own_lambda(
    lambdas: Sequence[float], alphas: Sequence[Sequence[float]], seeds: Sequence[int | None]
) -> OwnLambda | None:
    """The comparison for n trials: their λ, their α_λ at ``TRADE_OFFS`` (n, 121), their seeds.

    None where fewer than two levels can be compared. O(n · levels + permutations · n log n).
    """
    inside = [i for i, lam in enumerate(lambdas) if TRADE_OFFS[0] <= lam <= TRADE_OFFS[-1] and len(alphas[i])]
    if len({lambdas[i] for i in inside}) < 2:
        return None
    levels, level = levels_of([lambdas[i] for i in inside])
    lam = np.array(levels)
    shares = np.stack([np.interp(lam, TRADE_OFFS, alphas[i]) for i in inside]) / np.minimum(1.0, lam)
    means = np.stack([shares[level == row].mean(axis=0) for row in range(len(levels))])
    best = means.argmax(axis=0)
    regret = means.max(axis=0) - means.diagonal()
    best = np.where(regret > 0, best, np.arange(len(levels)))
    strata = np.array([-1 if seeds[i] is None else seeds[i] for i in inside], dtype=np.int64)
    gain, p = _gain(shares, level, strata)
    return OwnLambda(
        levels=levels,
        shares=tuple(tuple(row) for row in means.tolist()),
        best=tuple(levels[i] for i in best),
        regret=tuple(regret.tolist()),
        within=tuple(
            _within(shares[:, at], level == at, level == other, strata) for at, other in enumerate(best)
        ),
        gain=gain,
        p=p,
    )


def _gain(shares: _Array, level: NDArray[np.int64], strata: NDArray[np.int64]) -> tuple[float, float]:
    above = shares - shares.mean(axis=0)
    trials = np.arange(len(level))
    gain = float(above[trials, level].mean())
    drawn = np.concatenate([above[trials, level[rows]].mean(axis=1) for rows in permutations(strata)])
    return gain, upper_share(gain, drawn)


def _within(
    values: _Array, own: NDArray[np.bool_], other: NDArray[np.bool_], strata: NDArray[np.int64]
) -> bool | None:
    """Whether the mean difference of two levels, paired by seed, may be that of seeds alone."""
    if bool((own == other).all()):
        return True
    paired = [s for s in np.unique(strata) if (own & (strata == s)).any() and (other & (strata == s)).any()]
    if len(paired) < 2:
        return None
    apart = np.array(
        [values[other & (strata == s)].mean() - values[own & (strata == s)].mean() for s in paired]
    )
    error = float(apart.std(ddof=1)) / np.sqrt(len(apart))
    return bool(apart.mean() <= ONE_SIDED.get(len(apart), 1.7) * error)
