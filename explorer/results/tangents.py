"""Tangents of PR curves: where a model stands at a trade-off λ, and which way its curve goes there.

A PR curve is the set of points (β_λ, α_λ), α_λ = ∫ min(λp, q) and β_λ = α_λ / λ: the point of λ is where the curve
meets the ray α = λβ. Training on D_λ = min(1, λ) - α_λ moves it outwards along that ray, so of several models the one
trained at λ should be the outermost there. With A = {λp > q},

    dα_λ / dλ = P(Aᶜ),    dβ_λ / dλ = -Q(A) / λ²,    α_λ = λ P(Aᶜ) + Q(A),

so the tangent at λ has the slope dα / dβ = -λ² P(Aᶜ) / Q(A) = -λ s / (1 - s), where s = d log α / d log λ ∈ [0, 1] is
the share λ P(Aᶜ) / α_λ of α_λ that is counted where the model has more than λp. Its direction is (-(1 - s) β, s α),
which is finite everywhere: level where s = 0 (a larger λ buys no precision) and upright where s = 1 (a smaller one buys
no recall).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorer.results.promise import shares_at_own
from explorer.store.schema import TRADE_OFFS

__all__ = ["Touch", "touch"]

WINDOW = 2
"""Trade-offs on either side from which the direction is taken; a step of the grid is a factor of 1.12."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Touch:
    """Where n curves meet n rays.

    Attributes:
        lam: (n,) slopes of the rays.
        recall, precision: (n,) β_λ and α_λ, where the curve meets the ray.
        share: (n,) s = d log α / d log λ there; NaN where α is 0.
    """

    lam: Numbers
    recall: Numbers
    precision: Numbers
    share: Numbers

    @property
    def slope(self) -> Numbers:
        """(n,) dα / dβ of the tangents, -∞ of one that is upright."""
        with np.errstate(divide="ignore"):
            found: Numbers = -self.lam * self.share / (1 - self.share)
        return found

    def segments(self, half: float) -> tuple[Numbers, Numbers]:
        """(n, 2) recall and precision at both ends of pieces of the tangents, ``half`` as long to either side."""
        along = np.stack((-(1 - self.share) * self.recall, self.share * self.precision))
        length = np.linalg.norm(along, axis=0)
        along = half * along / np.where(length > 0, length, np.nan)
        sides = np.array([-1.0, 1.0])
        return (
            self.recall[:, None] + along[0][:, None] * sides,
            self.precision[:, None] + along[1][:, None] * sides,
        )


def touch(alphas: ArrayLike, lambdas: ArrayLike) -> Touch:
    """Where curve i, α at ``TRADE_OFFS`` (n, 121), meets the ray of λ i, (n,), within 0.001 and 1000.

    The direction is the least-squares slope of α against log λ over the five trade-offs around λ.
    """
    curves, lam = np.asarray(alphas, dtype=np.float64), np.asarray(lambdas, dtype=np.float64)
    n = len(lam)
    logs = np.log(TRADE_OFFS)
    alpha = shares_at_own(curves, lam) * np.minimum(1.0, lam)
    nearest = np.abs(logs - np.log(lam)[:, None]).argmin(axis=1)
    middle = np.clip(nearest, WINDOW, len(logs) - 1 - WINDOW)
    near = middle[:, None] + np.arange(-WINDOW, WINDOW + 1)
    t = logs[near] - logs[near].mean(axis=1, keepdims=True)
    rise = (t * curves[np.arange(n)[:, None], near]).sum(axis=1) / (t * t).sum(axis=1)
    share = np.clip(np.divide(rise, alpha, out=np.full(n, np.nan), where=alpha > 0), 0.0, 1.0)
    return Touch(lam, alpha / lam, alpha, share)
