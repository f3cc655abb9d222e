"""Is a difference between two configurations more than luck? Small-sample tests over their seeds.

Where the seeds of one are all among those of the other, trials of one seed are compared with each other: what is
particular about a seed falls out (Student's paired t). Else means are compared whatever their spreads (Welch 1947). The
p-values of all that is compared at once are corrected by Holm (1979).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from explorer.pareto.comparison import from_units, in_units

__all__ = ["ALPHA", "FEWEST", "Difference", "Test", "difference", "holm"]

ALPHA = 0.05
"""A corrected p-value below this is significant; intervals are those at 1 - ALPHA."""
FEWEST = 3
"""Seeds on either side below which nothing is significant: two tell hardly anything about their own spread."""
ROUNDING = 1e-12
"""Spread that counts as none, as a share of the values."""

Test = Literal["paired", "welch", "exact", "none"]
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """How much larger a metric of one configuration is than that of another.

    Attributes:
        value: the difference of the means, over the shared seeds where it is ``paired``; NaN where one has none.
        low, high: ends of its own interval at 95 %, without correction; NaN where nothing tells how sure it is.
        p: two-sided, None where there are too few seeds to tell.
        corrected: the same, for all that is compared at once.
        test: which one was made; ``exact`` where values do not spread at all, so that no t can be had.
        seeds: how many values there are of each, and of these pairs of equal seeds, if they are compared as such.
    """

    value: float
    low: float
    high: float
    p: float | None
    corrected: float | None
    test: Test
    seeds: tuple[int, int]
    pairs: int = 0

    @property
    def is_significant(self) -> bool:
        """Whether it is more than luck, as far as one can tell."""
        return self.corrected is not None and self.corrected < ALPHA

    @property
    def is_known(self) -> bool:
        """Whether both have a value."""
        return math.isfinite(self.value)


def difference(of: Mapping[object, float], to: Mapping[object, float], seeded: bool = True) -> Difference:
    """``of`` minus ``to``: finite values by seed; unless they are ``seeded``, keys are mere numbers and pair nothing.

    O(n log n) for n values.
    """
    numbers, unit = in_units([*of.values(), *to.values()])  # whose squares no float holds
    of = dict(zip(of, numbers[: len(of)].tolist(), strict=True))
    to = dict(zip(to, numbers[len(of) :].tolist(), strict=True))
    shared = sorted(of.keys() & to.keys(), key=repr) if seeded else []
    if len(shared) >= 2 and len(shared) == min(len(of), len(to)):
        found = _paired(np.array([of[seed] - to[seed] for seed in shared]), of, to)
    else:
        found = _unpaired(_values(of), _values(to))
    value, low, high = from_units([found.value, found.low, found.high], unit)
    return replace(found, value=value, low=low, high=high)


def holm(found: Sequence[Difference]) -> list[Difference]:
    """The differences with p-values corrected for their number: p₍ᵢ₎ becomes max_{j ≤ i} min(1, (m - j + 1) p₍ⱼ₎).

    The chance that any of m differences that are none counts as significant is then ALPHA at most. O(m log m).
    """
    asked = sorted((i for i, one in enumerate(found) if one.p is not None), key=lambda i: found[i].p or 0.0)
    corrected, least = list(found), 0.0
    for rank, i in enumerate(asked):
        least = max(least, min(1.0, (len(asked) - rank) * (found[i].p or 0.0)))
        corrected[i] = replace(found[i], corrected=least)
    return corrected


def _paired(off: Numbers, of: Mapping[object, float], to: Mapping[object, float]) -> Difference:
    """t = d̄ √n / s over n differences of equal seeds, with n - 1 degrees of freedom."""
    n, mean, seeds = len(off), float(off.mean()), (len(of), len(to))
    scale = max(map(abs, (*of.values(), *to.values())))
    error = _spread(off, scale) / math.sqrt(n)
    if error == 0:
        # All differences are alike: of the 2ⁿ ways to swap the two within seeds, two are as extreme.
        return _alike(mean, scale, 2.0 ** (1 - n), n >= FEWEST, seeds, n)
    return _by_t(mean, error, n - 1, "paired", n >= FEWEST, seeds, n)


def _unpaired(of: Numbers, to: Numbers) -> Difference:
    """t = (x̄ - ȳ) / √(s²/n + u²/m), with the degrees of freedom of Welch and Satterthwaite."""
    n, m = len(of), len(to)
    if not n or not m:
        return Difference(math.nan, math.nan, math.nan, None, None, "none", (n, m))
    mean = float(of.mean() - to.mean())
    if min(n, m) < 2:
        return Difference(mean, math.nan, math.nan, None, None, "none", (n, m))
    scale = float(np.abs(np.concatenate((of, to))).max())
    a, b = _spread(of, scale) ** 2 / n, _spread(to, scale) ** 2 / m
    enough = min(n, m) >= FEWEST
    if a + b == 0:
        # Of all ways to deal out the values, at most two are as extreme.
        return _alike(mean, scale, min(1.0, 2 / math.comb(n + m, n)), enough, (n, m), 0)
    freedom = (a + b) ** 2 / (a**2 / (n - 1) + b**2 / (m - 1))
    return _by_t(mean, math.sqrt(a + b), freedom, "welch", enough, (n, m), 0)


def _by_t(
    mean: float, error: float, freedom: float, test: Test, enough: bool, seeds: tuple[int, int], pairs: int
) -> Difference:
    from scipy.special import stdtr, stdtrit  # here: it is slow to import

    half = float(stdtrit(freedom, 1 - ALPHA / 2)) * error
    p = 2 * float(stdtr(freedom, -abs(mean) / error)) if enough else None
    return Difference(mean, mean - half, mean + half, p, p, test, seeds, pairs)


def _alike(
    mean: float, scale: float, least: float, enough: bool, seeds: tuple[int, int], pairs: int
) -> Difference:
    """Of values without spread: equal ones differ by nothing, others by as much as so few values can tell."""
    p = None if not enough else 1.0 if abs(mean) <= ROUNDING * scale else least
    return Difference(mean, math.nan, math.nan, p, p, "exact", seeds, pairs)


def _spread(values: Numbers, scale: float) -> float:
    """Standard deviation; 0 where it is rounding."""
    found = float(values.std(ddof=1))
    return found if found > ROUNDING * scale else 0.0


def _values(found: Mapping[object, float]) -> Numbers:
    return np.array(list(found.values()), dtype=np.float64)
