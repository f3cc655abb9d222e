"""Bootstrap intervals from per-sample values: features, distances and clusterings are never recomputed.

Efron & Tibshirani, *An Introduction to the Bootstrap*, 1993. What a metric builds from the samples (balls, clusters,
a classifier, the derivative of a functional) is held fixed; the samples it is averaged over are drawn again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Estimate", "estimate", "histogram_draws", "mean_draws"]

_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A number with the ends of its interval."""

    value: float
    low: float
    high: float


def estimate(value: float, draws: _Floats, level: float = 0.95) -> Estimate:
    """``value`` with the central ``level`` of its bootstrap ``draws`` (B,), widened to hold the value if need be."""
    if not 0 < level < 1:
        raise ValueError(f"the level of an interval must lie in (0, 1), got {level:g}; use 0.95")
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(value, min(float(low), value), max(float(high), value))


def histogram_draws(counts: NDArray[np.int64], draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Histograms of samples drawn again with replacement, (c,) → (draws, c)."""
    counts = np.asarray(counts)
    return rng.multinomial(int(counts.sum()), counts / counts.sum(), size=draws)


def mean_draws(values: NDArray[np.generic], draws: int, rng: np.random.Generator) -> _Floats:
    """Means of ``values`` (N,) drawn again with replacement → (draws,).

    Few distinct values (shares, counts) are drawn as a multinomial histogram, which is the same law.
    """
    values = np.asarray(values, dtype=np.float64)
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) <= 4096:
        return np.asarray(histogram_draws(counts, draws, rng) @ distinct / len(values))
    return np.array([values[rng.integers(len(values), size=len(values))].mean() for _ in range(draws)])
