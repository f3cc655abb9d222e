"""Is it more than luck? Permutation tests in which labels change places among trials of one seed.

If λ did nothing, the trials of a seed could have had any of its values of λ alike. So a statistic is compared with what
it would be had the labels been dealt out anew within every seed, which keeps what is particular about a seed in place.
Reference: Good, *Permutation, Parametric and Bootstrap Tests of Hypotheses*, 2005.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["DRAWS", "FEWEST", "permutations", "upper_share"]

DRAWS, FEWEST = 999, 199
"""Permutations that are drawn of few items, and of many; the smallest p-value is 1/(1 + draws)."""
_NUMBERS = 1 << 19
"""Items that are permuted at a time; of more items than fit ``DRAWS`` times, fewer permutations are drawn."""
_KEPT = 16
"""Orders that are kept, of at most ``_NUMBERS`` items each: groups of one design share theirs."""
_LARGEST = 1 << 22
"""Items up to which the last orders of many are kept: one group asks for them several times."""

_Ints = NDArray[np.int64]


def permutations(strata: _Ints, draws: int | None = None, seed: int = 0) -> Iterator[_Ints]:
    """Rows of indices (b, n) that permute n items within ``strata`` (n,), ``draws`` in all, some at a time.

    Left open, ``draws`` is 999 for up to 500 items and falls to 199. O(draws · n log n) time, bounded memory; equal
    strata give equal rows, which are kept for the next who asks, and not to be written to.
    """
    n = max(len(strata), 1)
    if draws is None:
        draws = min(DRAWS, max(FEWEST, _NUMBERS // n))
    _, stratum = np.unique(strata, return_inverse=True)
    stratum = stratum.astype(np.int64, copy=False)
    if draws * n <= _NUMBERS:
        yield from _kept(stratum.tobytes(), draws, seed)
    elif draws * n <= _LARGEST:
        yield from _last(stratum.tobytes(), draws, seed, _NUMBERS // n)
    else:
        yield from _drawn(stratum, draws, seed)


@lru_cache(maxsize=_KEPT)
def _kept(strata: bytes, draws: int, seed: int) -> tuple[_Ints, ...]:
    return tuple(_drawn(np.frombuffer(strata, dtype=np.int64), draws, seed))


@lru_cache(maxsize=1)
def _last(strata: bytes, draws: int, seed: int, step: int) -> tuple[_Ints, ...]:
    """As above, of many items; ``step`` tells blocks of one size from those of another."""
    return tuple(_drawn(np.frombuffer(strata, dtype=np.int64), draws, seed))


def _drawn(stratum: _Ints, draws: int, seed: int) -> Iterator[_Ints]:
    rng = np.random.default_rng(seed)
    places = np.argsort(stratum, kind="stable")
    step = max(1, _NUMBERS // max(len(stratum), 1))
    for start in range(0, draws, step):
        keys = stratum + rng.random((min(step, draws - start), len(stratum)))
        rows = np.empty(keys.shape, dtype=np.int64)
        rows[:, places] = np.argsort(keys, axis=1)  # sorted by stratum, at random within
        rows.flags.writeable = False
        yield rows


def upper_share(observed: float, drawn: NDArray[np.float64]) -> float:
    """The p-value (1 + #{drawn ≥ observed}) / (1 + #drawn): the observed order counts as one that was drawn."""
    # What is equal but for the order of a sum is not less.
    tolerance = 1e-12 * max(1.0, abs(observed))
    return float((1 + np.count_nonzero(drawn >= observed - tolerance)) / (1 + len(drawn)))
