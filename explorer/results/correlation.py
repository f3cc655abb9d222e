"""Spearman's rank correlation, of one sample and of many segments of one at once."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["ranked", "spearman", "spearman_within"]

Numbers = NDArray[np.float64]
Codes = NDArray[np.int64]


def spearman(x: ArrayLike, y: ArrayLike) -> float | None:
    """Spearman's ρ: Pearson's correlation of the ranks, ties sharing their mean rank. None if one is constant."""
    a, b = (np.asarray(v, dtype=np.float64) for v in (x, y))
    rho = float(spearman_within(a, b, np.zeros(len(a), dtype=np.int64), 1)[0])
    return None if math.isnan(rho) else rho


def spearman_within(x: Numbers, y: Numbers, segment: Codes, segments: int) -> Numbers:
    """(segments,) ρ of the (n,) items of each ``segment``; NaN where one of both is constant, or there are none.

    Ranks are half integers about a mean that is one too, so their sums are exact in any order. O(n log n).
    """
    (a, _), (b, _) = ranked(x, segment, segments), ranked(y, segment, segments)

    def total(values: Numbers) -> Numbers:
        return np.bincount(segment, values, segments).astype(np.float64, copy=False)

    norm = np.sqrt(total(a * a) * total(b * b))
    sums = total(a * b)
    found: Numbers = np.divide(sums, norm, out=np.full(segments, np.nan), where=norm > 0)
    return found


def ranked(values: Numbers, segment: Codes, segments: int) -> tuple[Numbers, Codes]:
    """(n,) ranks within each segment less their mean, ties sharing their middle; (segments,) distinct values.

    The mean rank of n items is (n + 1) / 2, however many are tied. O(n log n).
    """
    order = np.lexsort((values, segment))
    found, place = values[order], segment[order]
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (found[1:] != found[:-1]) | (place[1:] != place[:-1])
    starts = np.flatnonzero(fresh)
    tie = np.cumsum(fresh) - 1
    ties = np.diff(np.append(starts, len(order)))
    counts = np.bincount(segment, minlength=segments)
    first = np.cumsum(counts) - counts
    # A tie fills places start + 1 … start + c of its segment; each of it takes the middle of them.
    middle = (starts - first[place[starts]]) + (ties + 1) / 2
    ranks = np.empty(len(order))
    ranks[order] = middle[tie] - (counts[place] + 1) / 2
    return ranks, np.bincount(place[starts], minlength=segments)
