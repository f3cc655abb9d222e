"""Bins of log ratios: what was expected in each, and what was seen.

With w = 1/N for a real point and 1/M for a generated one, R_b = n_real/N and F_b = n_fake/M are the shares of both laws
in bin b. If r is p/q, then the share of real points among all, classes weighing alike, is expected to be

    R_b/(R_b + F_b) ≈ mean of σ(log r) in the bin, points weighed by w,

and R_b/F_b its odds. What is compared are counts, so an interval is that of a share of n_real + n_fake points
(Wilson's, ``trainables/measures/intervals.py``), whose odds are N/M times those of the two laws.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from trainables.measures.intervals import quantile, wilson
from trainables.rejection.obrs import acceptance, budget_constant

__all__ = ["Bins", "Numbers", "Pooled", "bins_of", "sigmoid"]

Numbers = NDArray[np.float64]

_LEVEL = 0.95
"""Of intervals."""


@dataclass(frozen=True, eq=False)
class Pooled:
    """Points of both kinds, as growing log r has them.

    Attributes:
        log_ratio: (n,) calibrated log r.
        is_real: (n,) their kinds.
        real, fake: how many there are of each, N and M.
    """

    log_ratio: Numbers
    is_real: NDArray[np.bool_]
    real: int
    fake: int

    @classmethod
    def of(cls, real: Numbers, fake: Numbers) -> Pooled:
        """From log r of real (N,) and of generated points (M,). O(n log n)."""
        both = np.concatenate((real, fake))
        order = np.argsort(both, kind="stable")
        return cls(both[order], order < len(real), len(real), len(fake))

    @property
    def weight(self) -> Numbers:
        """(n,) w, 2 in all."""
        return np.where(self.is_real, 1 / self.real, 1 / self.fake)

    def groups(self, most: int) -> NDArray[np.int64]:
        """(n,) the bin of each point: at most ``most``, of about one mass; equal ratios are in one."""
        ends = np.flatnonzero(np.diff(self.log_ratio))  # where one value ends and the next begins
        up_to = np.cumsum(self.weight)[ends]
        wanted = 2 * np.arange(1, most) / most
        nearest = np.searchsorted((up_to[1:] + up_to[:-1]) / 2, wanted)
        cuts = np.unique(ends[nearest]) if len(ends) else ends
        found: NDArray[np.int64] = np.searchsorted(cuts, np.arange(len(self.log_ratio))).astype(np.int64)
        return found


@dataclass(frozen=True, eq=False)
class Bins:
    """What was expected and what was seen in bins of equal mass, each (B,), as log r grows.

    Attributes:
        low, high: least and largest log r.
        real, fake: how many points of each kind.
        expected_share, observed_share: of real points, classes weighing alike; ``share_low`` and ``share_high`` the
            ends of Wilson's 95 % interval.
        expected_ratio, observed_ratio: p/q of the bin, the odds of these shares; ∞ without a generated point.
        expected_acceptance: mean of min(c r, 1) over the bin's generated points, over its real ones if it has no other.
        observed_acceptance: the same if every ratio of a bin is multiplied by what was observed over what was expected,
            and c solved again; ``acceptance_low`` and ``acceptance_high`` at the ends of the share's interval, c kept.
    """

    low: Numbers
    high: Numbers
    real: Numbers
    fake: Numbers
    expected_share: Numbers
    observed_share: Numbers
    share_low: Numbers
    share_high: Numbers
    expected_ratio: Numbers
    observed_ratio: Numbers
    expected_acceptance: Numbers
    observed_acceptance: Numbers
    acceptance_low: Numbers
    acceptance_high: Numbers

    def __len__(self) -> int:
        return len(self.real)


def bins_of(points: Pooled, group: NDArray[np.int64], budget: float) -> Bins:
    """The bins that ``group`` (n,) names, 0 … B-1 in order, at budget K. O(n log n)."""
    count = int(group[-1]) + 1
    starts = np.searchsorted(group, np.arange(count))
    weight, belief = points.weight, sigmoid(points.log_ratio)
    real = np.add.reduceat(points.is_real.astype(np.float64), starts)
    fake = np.diff(starts, append=len(group)) - real
    mass = np.add.reduceat(weight, starts)
    # log of the mean of σ and of 1 - σ: their odds stay apart from 0 and ∞ where the mean itself is rounded to 0 or 1.
    log_real = np.logaddexp.reduceat(np.log(weight) - np.logaddexp(0.0, -points.log_ratio), starts)
    log_fake = np.logaddexp.reduceat(np.log(weight) - np.logaddexp(0.0, points.log_ratio), starts)
    ends = np.array([wilson(r / (r + f), r + f, quantile(_LEVEL)) for r, f in zip(real, fake, strict=True)]).T
    log_observed, log_low, log_high = (
        _log_odds(share) + np.log(points.fake) - np.log(points.real)
        for share in (real / (real + fake), *ends)
    )
    expected = log_real - log_fake
    accepted = _accepted(points, group, budget, expected, (log_observed, log_low, log_high))
    return Bins(
        points.log_ratio[starts],
        points.log_ratio[np.append(starts[1:], len(group)) - 1],
        real,
        fake,
        np.add.reduceat(weight * belief, starts) / mass,
        sigmoid(log_observed),
        sigmoid(log_low),
        sigmoid(log_high),
        *(_exp(values) for values in (expected, log_observed)),
        *accepted,
    )


def _accepted(
    points: Pooled, group: NDArray[np.int64], budget: float, expected: Numbers, seen: tuple[Numbers, ...]
) -> list[Numbers]:
    """Acceptance by bin (B,): as expected, as observed, and at both ends of the interval."""
    log_r = torch.from_numpy(points.log_ratio)
    drawn = torch.from_numpy(~points.is_real)
    count = len(expected)
    fakes = np.bincount(group[~points.is_real], minlength=count)
    # Acceptance is that of draws; of a bin without any, that of its real points.
    counted = np.where(fakes[group] > 0, ~points.is_real, True).astype(np.float64)

    def means(log_ratio: torch.Tensor, log_c: torch.Tensor) -> Numbers:
        kept = acceptance(log_ratio, log_c).numpy() * counted
        found: Numbers = np.bincount(group, kept, minlength=count) / np.bincount(
            group, counted, minlength=count
        )
        return found

    found = [means(log_r, budget_constant(log_r[drawn], budget))]
    moved = [log_r + torch.from_numpy((one - expected)[group]) for one in seen]
    log_c = budget_constant(moved[0][drawn], budget)
    return found + [means(one, log_c) for one in moved]


def sigmoid(x: Numbers) -> Numbers:
    """1/(1 + e^-x), whatever x."""
    found: Numbers = np.exp(-np.logaddexp(0.0, -x))
    return found


def _exp(x: Numbers) -> Numbers:
    with np.errstate(over="ignore"):
        found: Numbers = np.exp(x)
    return found


def _log_odds(share: Numbers) -> Numbers:
    with np.errstate(divide="ignore"):
        found: Numbers = np.log(share) - np.log1p(-share)
    return found
