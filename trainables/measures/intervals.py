"""Ends of intervals in closed form.

A score interval asks of every candidate θ whether the value lies within t standard errors *of θ*: the error is that
which θ itself would have, so that a value at the edge of its range has an interval that is neither empty nor outside.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["pivot", "quantile", "score_interval", "wilson"]


def quantile(level: float, freedom: float = math.inf) -> float:
    """t with P(|T| ≤ t) = ``level`` for Student's law of so many degrees of freedom; the normal one if infinite."""
    from scipy.special import (
        ndtri,
        stdtrit,
    )  # here: scipy.special is slow to import, and needed for intervals alone

    if not 0 < level < 1:
        raise ValueError(f"the level of an interval must lie in (0, 1), got {level:g}; use 0.95")
    upper = (1 + level) / 2
    return float(ndtri(upper)) if math.isinf(freedom) else float(stdtrit(freedom, upper))


def wilson(share: float, n: float, t: float) -> tuple[float, float]:
    """{θ : (share - θ)² ≤ t² θ(1-θ)/n}, for a share of n samples, or of as many as it is worth (Wilson 1927).

    Inside [0, 1], holds the share, and of positive width also where that is 0 or 1.
    """
    if not (0 <= share <= 1 and n > 0):
        raise ValueError(f"a share lies in [0, 1] and is of some samples, got {share:g} of {n:g}")
    slack = t * t / n
    centre = (share + slack / 2) / (1 + slack)
    half = math.sqrt(slack * share * (1 - share) + slack * slack / 4) / (1 + slack)
    return min(max(centre - half, 0.0), share), max(min(centre + half, 1.0), share)


def score_interval(value: float, unit: float, floor: float = 0.0) -> tuple[float, float]:
    """{θ ≥ 0 : (value - θ)² ≤ unit·θ + floor}: t² times a variance that grows in proportion to θ, above a floor.

    For counts and squared distances, whose spread falls with them. Its ends are value + unit/2 ± √(unit·value +
    unit²/4 + floor), the lower one at least 0 unless the floor takes it below.
    """
    root = math.sqrt(max(unit * value + unit * unit / 4 + floor, 0.0))
    return value + unit / 2 - root, value + unit / 2 + root


def pivot(value: float, draws: NDArray[np.float64], level: float = 0.95) -> tuple[float, float]:
    """[2v - q_high, 2v - q_low], the basic bootstrap: as far as draws (B,) lie from the value, it lies from its target.

    What pulls the value away from its target pulls the draws away from the value by about as much, in the same
    direction: percentiles of the draws would carry the bias twice, this takes it off once. It need not hold the value.
    """
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return float(2 * value - high), float(2 * value - low)
