"""Lipschitz ceilings: what α_λ cannot exceed, and how far below trials are.

A generator of certified constant L cannot leave a hole around G(0), so on given data
α_λ ≤ min(1, λ) - sup_R [B_m(R/L) - λ P(ball(G(0), R))] + (1 - λ)₊ (thesis, Theorem 4.4.3, tightened). Trials tell it at
their own λ, and at λ = 1. The constant of a critic bounds no curve, and slopes that were merely seen bound nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from explorer.results.columns import Columns
from explorer.results.lambda_columns import alphas_of, lambdas_of
from explorer.results.promise import shares_at_own
from explorer.store.schema import TRADE_OFFS
from explorer.words import counted

__all__ = ["Ceilings", "ceiling_sentences", "ceilings_of"]

Numbers = NDArray[np.float64]
VACUOUS = 1e-9
"""A ceiling no further below min(1, λ) than this rules nothing out."""


@dataclass(frozen=True, eq=False)
class Ceilings:
    """The ceilings of n trials, each at one λ, as shares of min(1, λ): precision for λ ≥ 1, recall β_λ below.

    Attributes:
        rows: (n,) the trials.
        lipschitz: (n,) certified constants of their generators.
        lam: (n,) the λ of the ceiling: the trial's own, or 1 where it has none.
        ceiling: (n,) the most that is possible.
        reached: (n,) what the model has, NaN where its curve is not known.
    """

    rows: NDArray[np.int64]
    lipschitz: Numbers
    lam: Numbers
    ceiling: Numbers
    reached: Numbers

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def gap(self) -> Numbers:
        """(n,) how far below its ceiling a trial is; negative above it."""
        found: Numbers = self.ceiling - self.reached
        return found

    @property
    def binding(self) -> NDArray[np.bool_]:
        """(n,) the ceilings that rule something out."""
        found: NDArray[np.bool_] = self.ceiling < 1 - VACUOUS
        return found

    def nearest(self, most: int) -> NDArray[np.int64]:
        """Places of the trials nearest to ceilings that rule something out, the nearest first."""
        known = np.flatnonzero(self.binding & ~np.isnan(self.gap))
        return known[np.argsort(self.gap[known], kind="stable")][:most]


def ceilings_of(columns: Columns, rows: NDArray[np.bool_]) -> Ceilings:
    """The ceilings of the finished trials among ``rows`` (N,) that have one. O(N)."""
    at_one, own = columns.metric("ceiling_alpha"), columns.metric("ceiling_own")
    lam = lambdas_of(columns)
    is_own = ~np.isnan(own) & (lam > 0)
    at = np.where(is_own, lam, 1.0)
    ceiling = np.where(is_own, own, at_one) / np.minimum(1.0, at)
    found = np.flatnonzero(columns.finished & rows & ~np.isnan(ceiling))
    at = at[found]
    inside = np.clip(at, TRADE_OFFS[0], TRADE_OFFS[-1])
    reached = shares_at_own(alphas_of(columns)[found], inside)
    return Ceilings(
        found,
        columns.metric("generator_lipschitz")[found],
        at,
        ceiling[found],
        np.where(inside == at, reached, np.nan),
    )


def ceiling_sentences(ceilings: Ceilings) -> list[str]:
    """What the ceilings say, in words; nothing where there are none."""
    if not len(ceilings):
        return []
    binding = ceilings.binding
    told = []
    if not binding.any():
        return [
            f"The ceiling of all {counted(len(ceilings), 'trial')} is the most there is: "
            "their generators may be steep enough for any trade-off"
        ]
    low, high = float(ceilings.ceiling[binding].min()), float(ceilings.ceiling[binding].max())
    span = _share(low) if _share(low) == _share(high) else f"{_share(low)} to {_share(high)}"
    told.append(
        f"The steepness of generators caps {int(binding.sum())} of {counted(len(ceilings), 'trial')}: none of that "
        f"constant and that G(0) has more than {span} of what is possible at its λ"
    )
    gaps = ceilings.gap[binding & ~np.isnan(ceilings.gap)]
    under = gaps[gaps >= 0]
    if len(under):
        told.append(
            f"Those below it are {np.median(under):.2f} below in the median, the nearest {under.min():.2f}"
        )
    if len(gaps):
        above = int((gaps < 0).sum())
        if above:
            lie = "lies" if above == 1 else "lie"
            told.append(
                f"{counted(above, 'trial')} {lie} above: α is an estimate, and a ceiling is 95 % sure"
            )
    return told


def _share(value: float) -> str:
    """A share below 1, with as many digits as it takes not to be told as 1."""
    return next(told for digits in range(2, 18) if float(told := f"{value:.{digits}f}") < 1 or digits == 17)
