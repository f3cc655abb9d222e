"""How much a score varies when both sets are drawn anew, from the same score on random groups of the samples.

A score that is built of the samples (balls of neighbours, a classifier) varies more than the mean it is in the end. To
draw samples again with replacement would not do: copies are each other's neighbours, at distance 0. So both sets
are cut at random into G groups, several times. The groups of a cut are independent sets of N/G and M/G samples, and the
variance of their scores, over the one a plain mean of independent values would have, is the *design effect* (Kish,
*Survey Sampling*, 1965). It depends far less on the number of samples than the variances themselves do, and N samples
are worth N/(design effect) independent ones (Korn & Graubard, *Confidence intervals for proportions with small
expected number of positive counts estimated from survey data*, 1998).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["DesignEffect", "cuts", "design_effect"]

_Floats = NDArray[np.float64]
_Indices = NDArray[np.int64]


@dataclass(frozen=True)
class DesignEffect:
    """By what the variance of a score exceeds that of a mean of independent values, and how well that is known."""

    ratio: float
    freedom: int

    def of_all(self, groups: int, growth: float) -> float:
        """The effect for all samples, of which each group has one in G = ``groups``: D ↦ 1 + (D - 1)·G^growth."""
        return self.ratio if self.ratio <= 1 else 1 + (self.ratio - 1) * groups**growth


def cuts(
    n: int, m: int, groups: int, rounds: int, rng: np.random.Generator
) -> Iterator[list[tuple[_Indices, _Indices]]]:
    """``rounds`` times, n and m samples at random in ``groups`` parts each: pairs of indices (n/G,), (m/G,)."""
    for _ in range(rounds):
        parts = (np.array_split(rng.permutation(size), groups) for size in (n, m))
        yield list(zip(*parts, strict=True))


def design_effect(values: _Floats, plain: _Floats, least: float, floor: float = 1.0) -> DesignEffect:
    """From scores of groups (rounds, G) and the variances (rounds, G) they would have as means of independent values.

    Mean over rounds of the variance within a round, over the mean of ``plain``, which is taken to be no less than
    ``least``: the smallest that is not zero. Groups that agree altogether have the ``floor``.
    """
    rounds, groups = values.shape
    if groups < 2:
        raise ValueError(f"a variance needs at least 2 groups, got {groups}; use more samples")
    within = float(values.var(axis=1, ddof=1).mean())
    ratio = within / max(float(plain.mean()), least)
    return DesignEffect(max(ratio, floor), rounds * (groups - 1))
