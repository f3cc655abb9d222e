"""A smooth curve through scattered points: local linear regression with tricube weights (Cleveland, 1979).

At x the line a + b (t - x) is fitted to the points by least squares with weights w(|t - x| / h), w(u) = (1 - u³)³ for
u < 1; the curve is a. The bandwidth h reaches the nearest share of the points; of a few shares the largest is taken
that tells points which were left out as well as any. Fitted values are sums Σ l_i(x) y_i, so the standard error is
s(x) |l(x)| with s(x) the weighted spread about the local line.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Smooth", "interval_of", "smooth", "student"]

SPANS = (0.08, 0.13, 0.2, 0.3, 0.45, 0.65, 1.0)
"""Shares of the points that a local line may be fitted to."""
PLACES = 60
"""Places at which a curve is told unless others are asked for."""
LEFT_OUT, USED = 100, 1000
"""Points that are left out in turn to choose the share, and points that tell of them, both evenly among all."""
FEWEST = 5
"""Fewest points of a local line."""

_Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Smooth:
    """A curve: its value at x (m,), and the ends of pointwise 95 % intervals, NaN where too few points tell."""

    x: _Array
    y: _Array
    low: _Array
    high: _Array
    span: float


def smooth(x: ArrayLike, y: ArrayLike, at: ArrayLike | None = None) -> Smooth | None:
    """The curve through n points at m places, evenly between the first and the last x if none are given.

    None below five distinct x. O(n log n + m n), and O(100 · min(n, 1000)) for each share that is tried.
    """
    given, told = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    sound = np.isfinite(given) & np.isfinite(told)
    given, told = given[sound], told[sound]
    if len(np.unique(given)) < FEWEST:
        return None
    order = np.argsort(given, kind="stable")
    given, told = given[order], told[order]
    places = np.linspace(given[0], given[-1], PLACES) if at is None else np.asarray(at, dtype=np.float64)
    span = _chosen(given, told)
    fitted, low, high = _fit(given, told, places, _reach(given, places, span))
    return Smooth(places, fitted, low, high, span)


def interval_of(values: ArrayLike) -> tuple[float, float, float]:
    """Mean of n values and the ends of its 95 % interval by Student's t; the ends are NaN of one value."""
    found = np.asarray(values, dtype=np.float64)
    mean = float(found.mean())
    if len(found) < 2:
        return mean, math.nan, math.nan
    half = float(student(len(found) - 1.0)) * float(found.std(ddof=1)) / math.sqrt(len(found))
    return mean, mean - half, mean + half


@cache
def student(freedom: float) -> float:
    """t with P(|T| ≤ t) = 0.95 for Student's law of so many degrees of freedom; NaN below one."""
    from scipy.special import stdtrit  # here: scipy.special is slow to import, and needed for intervals alone

    return float(stdtrit(freedom, 0.975)) if freedom >= 1 else math.nan


def _chosen(x: _Array, y: _Array) -> float:
    """The largest share whose local lines tell points that were left out as well as the best share does.

    As well: its squared errors are no larger on average than one standard error of the difference to those of the best.
    """
    used = _evenly(len(x), USED)
    x, y = x[used], y[used]
    out = _evenly(len(x), LEFT_OUT)
    spans = [span for span in SPANS if span * len(x) > FEWEST] or [1.0]
    missed = []
    for span in spans:
        weights = _weights(x, x[out], _reach(x, x[out], span))
        weights[np.arange(len(out)), out] = 0.0
        told = _lines(weights, x - x[out][:, None], y)[0]
        missed.append((told - y[out]) ** 2)
    worse = np.stack(missed) - min(missed, key=np.mean)
    as_well = worse.mean(axis=1) <= worse.std(axis=1) / math.sqrt(len(out))
    return spans[int(np.flatnonzero(as_well)[-1])]


def _evenly(n: int, most: int) -> NDArray[np.int64]:
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.int64))


def _reach(x: _Array, at: _Array, span: float) -> _Array:
    """(m,) the distance within which lie the nearest share of the (n,) points, and five distinct ones."""
    distinct = np.unique(x)
    share = min(len(x), max(FEWEST, math.ceil(span * len(x)))) - 1
    far = np.partition(np.abs(x - at[:, None]), share, axis=1)[:, share]
    few = min(len(distinct), FEWEST) - 1
    near = np.partition(np.abs(distinct - at[:, None]), few, axis=1)[:, few]
    reach: _Array = np.maximum(far, near) * (1 + 1e-9)
    return reach


def _weights(x: _Array, at: _Array, reach: _Array) -> _Array:
    """(m, n) tricube weights."""
    apart = np.minimum(np.abs(x - at[:, None]) / reach[:, None], 1.0)
    found: _Array = (1 - apart**3) ** 3
    return found


def _lines(weights: _Array, t: _Array, y: _Array) -> tuple[_Array, _Array, _Array]:
    """Height and slope at t = 0 of the weighted lines, and the (m, n) coefficients of y in the height."""
    s0, s1, s2 = weights.sum(1), (weights * t).sum(1), (weights * t * t).sum(1)
    spread = s0 * s2 - s1 * s1
    # One place holds all weight: there is no slope, and the height is the mean.
    flat = spread <= 1e-12 * s0 * s2
    below = np.where(flat, 1.0, spread)
    level = weights * np.where(flat, 1 / s0, s2 / below)[:, None]
    coefficients = level - weights * t * np.where(flat, 0.0, s1 / below)[:, None]
    slopes = weights * (s0[:, None] * t - s1[:, None]) / below[:, None] * ~flat[:, None]
    return coefficients @ y, slopes @ y, coefficients


def _fit(x: _Array, y: _Array, at: _Array, reach: _Array) -> tuple[_Array, _Array, _Array]:
    t = x - at[:, None]
    weights = _weights(x, at, reach)
    height, slope, coefficients = _lines(weights, t, y)
    left = y - height[:, None] - slope[:, None] * t
    worth = weights.sum(1) ** 2 / (weights**2).sum(1)  # points that the weighted ones are worth
    freedom = np.maximum(worth - 2, 0.0)
    variance = (weights * left**2).sum(1) / weights.sum(1) * worth / np.where(freedom > 0, freedom, np.nan)
    error = np.sqrt(variance * (coefficients**2).sum(1))
    half = np.array([student(math.floor(f)) for f in freedom]) * error
    return height, height - half, height + half
