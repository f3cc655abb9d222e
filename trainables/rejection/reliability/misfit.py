"""How far log ratios are from the labels of points they were not fitted on, and whether that is more than chance.

With l_i = log r_i + b + log(N/M) the label of point i is real with probability π_i = σ(l_i) if log r + b is log p/q.
The offset b, of which no budget depends, is the likeliest: Σ π_i = N. Then d_b = n_real,b - Σ_b π_i has, numbers of
both kinds being given, mean 0 and covariance diag(v) - v vᵀ/Σv with v_b = Σ_b π_i(1 - π_i). So

    χ² = Σ_b d_b²/v_b                                          has B - 1 degrees of freedom,
    z = Σ (y_i - π_i)(s_i - s̄) / √(Σ π_i(1-π_i)(s_i - s̄)²)    is normal:

any deviation of the shape (Hosmer and Lemeshow 1980, for ratios that were fitted elsewhere), and the score test of a
slope other than 1 (Cox 1958), s being log r and s̄ its mean by π(1-π). z < 0: log ratios are too large, in size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trainables.rejection.reliability.bins import Numbers, Pooled, sigmoid

__all__ = ["Misfit", "contradictions", "disorder", "likeliest_offset", "misfit"]

LEAST = 5.0
"""Variance of a count from which it is taken for normal; bins of less are joined."""


@dataclass(frozen=True, eq=False)
class Misfit:
    """How log ratios deviate, but for their offset.

    Attributes:
        offset, offset_error: b and its standard error: e^b is the factor by which ratios are too small throughout.
        information: Σ π(1-π), the variance of the number of real points; a quarter of a point whose label is in doubt.
        chi_square, freedom, p_shape: of the shape; 0, 0 and 1 where too few labels are in doubt.
        z, p_slope: of the slope.
        slope_error: the standard error with which these points tell a slope, (Σ π(1-π)(s - s̄)²)^(-1/2).
        p_value: how easily chance does as much as both: the smaller of them, twice (Bonferroni).
    """

    offset: float
    offset_error: float
    information: float
    chi_square: float
    freedom: int
    p_shape: float
    z: float
    p_slope: float
    slope_error: float
    p_value: float


def misfit(points: Pooled, group: NDArray[np.int64]) -> Misfit:
    """Both tests, in bins ``group`` (n,), 0 … B-1 in order. O(n) a step of the offset's search."""
    from scipy.special import chdtrc, ndtr  # here: it is slow to import

    offset = likeliest_offset(points)
    belief, doubt = _beliefs(points, offset)
    information = float(doubt.sum())
    missed = points.is_real - belief
    d, v = _joined(np.bincount(group, missed), np.bincount(group, doubt))
    freedom = len(v) - 1
    chi_square = float((d * d / v).sum()) if freedom else 0.0
    s = points.log_ratio
    mean = float(doubt @ s) / information if information else 0.0
    spread = float(doubt @ (s - mean) ** 2) if s[0] < s[-1] else 0.0
    z = float(missed @ (s - mean)) / math.sqrt(spread) if spread > 0 and freedom else 0.0
    # The offset's variance is that of Σ (y - π) = N - Σ π as real and generated points are drawn.
    own = [belief[points.is_real], belief[~points.is_real]]
    drawn = sum(len(part) * float(part.var()) for part in own)
    p_shape = float(chdtrc(freedom, chi_square)) if freedom else 1.0
    p_slope = float(2 * ndtr(-abs(z)))
    return Misfit(
        offset=offset,
        offset_error=math.sqrt(drawn) / information if information else math.inf,
        information=information,
        chi_square=chi_square,
        freedom=freedom,
        p_shape=p_shape,
        z=z,
        p_slope=p_slope,
        slope_error=1 / math.sqrt(spread) if spread > 0 else math.inf,
        p_value=min(1.0, 2 * min(p_shape, p_slope)),
    )


def likeliest_offset(points: Pooled) -> float:
    """b with Σ σ(log r + b + log(N/M)) = N, which rises with b. O(n) a step, some dozen steps."""
    from scipy.optimize import brentq  # here: it is slow to import

    prior = math.log(points.real / points.fake)
    far = math.log(points.real + points.fake) + 1
    low, high = float(points.log_ratio[0]) + prior, float(points.log_ratio[-1]) + prior

    def excess(b: float) -> float:
        return float(sigmoid(points.log_ratio + prior + b).sum()) - points.real

    return float(brentq(excess, -high - far, -low + far, xtol=1e-10))


def contradictions(points: Pooled, offset: float) -> float:
    """How easily chance makes as many points of the kind that was less likely: a p-value, at most about.

    Their number is a sum of Bernoulli variables, whose upper tail is at most about that of Poisson's law of its mean.
    It holds too where hardly any label is in doubt, of which normal laws say nothing. O(n).
    """
    from scipy.special import pdtrc  # here: it is slow to import

    belief, _ = _beliefs(points, offset)
    wrong = int((points.is_real != (belief > 0.5)).sum())
    expected = float(np.minimum(belief, 1 - belief).sum())
    return float(pdtrc(wrong - 1, expected)) if wrong else 1.0


def disorder(real: Numbers, fake: Numbers) -> float:
    """How easily chance makes shares of real points fall as much from bin to bin if they rise or stay: a p-value.

    Shares against their isotonic fit, Σ m (y - ŷ)²/(ŷ(1-ŷ)), have at most the law of shares that are all alike: of
    chi-squares of B - j degrees of freedom, j blocks being as likely as permutations of B have j cycles (Barlow et al.
    1972, there for bins of one size). O(B²).
    """
    from scipy.optimize import isotonic_regression  # here: both are slow to import
    from scipy.special import chdtrc

    points = real + fake
    share = real / points
    fit = isotonic_regression(share, weights=points).x
    inside = (fit > 0) & (fit < 1)
    parts = points * (share - fit) ** 2
    statistic = float((parts[inside] / (fit * (1 - fit))[inside]).sum())
    if statistic <= 0:
        return 1.0
    chances = np.array([1.0])  # of j blocks of b bins, j = 0 … b
    for b in range(len(points)):
        chances = np.append(chances * b, 0.0) / (b + 1) + np.append(0.0, chances) / (b + 1)
    tails = chdtrc(len(points) - np.arange(len(points)), statistic)  # j = B leaves no freedom: no violation
    return float(chances[: len(points)] @ tails)


def _beliefs(points: Pooled, offset: float) -> tuple[Numbers, Numbers]:
    """π and π(1-π), each (n,)."""
    logit = points.log_ratio + offset + math.log(points.real / points.fake)
    belief = sigmoid(logit)
    return belief, belief * sigmoid(-logit)


def _joined(d: NDArray[Any], v: NDArray[Any]) -> tuple[Numbers, Numbers]:
    """Bins side by side in one until their variance is at least ``LEAST``; what is left at the end joins the last."""
    found: list[tuple[float, float]] = []
    missed = variance = 0.0
    for one, two in zip(d, v, strict=True):
        missed, variance = missed + float(one), variance + float(two)
        if variance >= LEAST:
            found.append((missed, variance))
            missed = variance = 0.0
    if found:
        found[-1] = (found[-1][0] + missed, found[-1][1] + variance)
    else:
        found = [(missed, variance)]
    return np.array([one for one, _ in found]), np.array([two for _, two in found])
