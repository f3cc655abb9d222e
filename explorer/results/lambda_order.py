"""How λ orders a metric: Spearman's ρ per group and per seed of it, and how easily luck does as well."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from explorer.results.correlation import ranked, spearman_within
from explorer.results.permutation import permutations, upper_share

__all__ = ["ENOUGH", "LambdaOrder", "lambda_order"]

ENOUGH = 3
"""Fewest distinct λ for which a rank correlation is defined here: two always give ±1 or nothing."""

Numbers = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LambdaOrder:
    """What was found in G groups, over the n trials that have the metric.

    Attributes:
        rho: per group, ρ of λ with the metric, seeds pooled; None where it is not defined.
        by_seed: per group, ρ by seed.
        sign: that theory promises of ρ.
        lambdas, values: (n,) centred ranks within the group.
        seeds: (n,) those of the trials.
        starts: (G + 1,) where each group begins among them.
    """

    rho: Sequence[float | None]
    by_seed: Sequence[Mapping[int, float | None]]
    sign: float
    lambdas: Numbers
    values: Numbers
    seeds: Codes
    starts: Codes

    def chance(self, group: int) -> float | None:
        """The p-value of a group's ρ: the share of permutations of λ within seeds that are as far on the promised side.

        With centred ranks a of λ and b of the values ρ = a · b / (|a| |b|). O(permutations · n log n), less for groups
        whose seeds come in the same order as those of the last ones.
        """
        rho, own = self.rho[group], slice(self.starts[group], self.starts[group + 1])
        if rho is None:
            return None
        a, b = self.lambdas[own], self.values[own]
        b = b / math.sqrt(float(a @ a) * float(b @ b))
        drawn = np.concatenate([a[rows] @ b for rows in permutations(self.seeds[own])])
        return upper_share(self.sign * rho, self.sign * drawn)


def lambda_order(
    lambdas: Numbers, values: Numbers, seeds: Codes, group: Codes, groups: int, sign: float
) -> LambdaOrder:
    """ρ of λ with ``values`` in each of the groups, promised to have the ``sign``; all others (n,), ``group`` rising.

    A trial without a value (NaN) does not count; a seed of -1 is none. O(n log n).
    """
    has = ~np.isnan(values)
    lam, value, seed, where = lambdas[has], values[has], seeds[has], group[has]
    return LambdaOrder(
        rho=_correlations(lam, value, where, groups),
        by_seed=_by_seed(lam, value, seed, where, groups),
        sign=sign,
        lambdas=ranked(lam, where, groups)[0],
        values=ranked(value, where, groups)[0],
        seeds=seed,
        starts=np.searchsorted(where, np.arange(groups + 1)),
    )


def _correlations(lam: Numbers, value: Numbers, segment: Codes, segments: int) -> list[float | None]:
    """ρ per segment; None below three distinct λ, and where all values are one."""
    found = spearman_within(lam, value, segment, segments)
    enough = ranked(lam, segment, segments)[1] >= ENOUGH
    told = zip(found.tolist(), enough.tolist(), strict=True)
    return [rho if known and not math.isnan(rho) else None for rho, known in told]


def _by_seed(
    lam: Numbers, value: Numbers, seed: Codes, group: Codes, groups: int
) -> list[dict[int, float | None]]:
    distinct, code = np.unique(seed, return_inverse=True)
    pairs, segment = np.unique(group * max(len(distinct), 1) + code, return_inverse=True)
    found = _correlations(lam, value, segment, len(pairs))
    told: list[dict[int, float | None]] = [{} for _ in range(groups)]
    for pair, rho in zip(pairs.tolist(), found, strict=True):
        place, which = divmod(pair, len(distinct))
        told[place][int(distinct[which])] = rho
    return told
