"""Configurations with their seeds at one reading: where each lies, how surely, and how often on the front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from explorer.pareto.dominance import front_mask
from explorer.results.columns import Columns
from explorer.store.schema import PLAIN, At

__all__ = ["Cloud", "on_front_probability"]

Numbers = NDArray[np.float64]
Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]

CONFIDENCE = 0.95
"""Of the intervals of means over seeds."""
REPLICATES = 200
"""Resamplings behind a probability, whose standard deviation is then 0.036 at most."""
BLOCK = 2_000_000
"""Comparisons that are made at once."""


@dataclass(frozen=True, eq=False)
class Cloud:
    """C configurations in M coordinates; a trial that lacks a coordinate takes no part.

    Attributes:
        configurations: (C,) their codes among ``Columns.configurations``, growing.
        members: (n,) rows of the table, by configuration and then in the table's order.
        starts: (C + 1,) the members of configuration c are ``members[starts[c]:starts[c + 1]]``.
        values: (n, M) coordinates of the members.
        mean: (C, M) mean over seeds.
        low: (C, M) and
        high: (C, M) ends of its 95 % interval, mean ± t · s / √n with Student's t at n - 1 degrees of freedom; NaN of
            a single seed.
        first: (C,) the row that stands for a configuration, that of the seed nearest the mean where coordinates are
            scaled by their ranges; of seeds equally near the first.
    """

    configurations: Codes
    members: Codes
    starts: Codes
    values: Numbers = field(repr=False)
    mean: Numbers = field(repr=False)
    low: Numbers = field(repr=False)
    high: Numbers = field(repr=False)
    first: Codes

    @classmethod
    def of(cls, columns: Columns, rows: Mask, names: Sequence[str], at: At = PLAIN) -> Cloud:
        """The configurations among some rows; coordinates are metrics at a reading or parameters. O(N log N)."""
        coordinates = [columns.numbers(name, at) for name in names]
        values = np.stack(coordinates, axis=1) if coordinates else np.empty((len(columns), 0))
        kept = np.flatnonzero(rows & np.isfinite(values).all(axis=1))
        members = kept[np.argsort(columns.configurations[kept], kind="stable")]
        configurations, starts = np.unique(columns.configurations[members], return_index=True)
        starts = np.append(starts, len(members)).astype(np.int64)
        values = values[members]
        mean = _means(values, starts)
        half = _half_widths(values, mean, starts)
        return cls(
            configurations=configurations,
            members=members,
            starts=starts,
            values=values,
            mean=mean,
            low=mean - half,
            high=mean + half,
            first=members[_nearest(values, mean, starts)],
        )

    def __len__(self) -> int:
        return len(self.configurations)

    @property
    def count(self) -> Codes:
        """(C,) seeds of each configuration."""
        return np.diff(self.starts)

    @property
    def owner(self) -> Codes:
        """(n,) which configuration of the cloud, from 0, each member is of."""
        return np.repeat(np.arange(len(self)), self.count)

    def average(self, column: Numbers) -> Numbers:
        """(C, …) the mean over seeds of any column (N, …) of the table, such as ``Columns.goals``. O(n).

        NaN where a seed has none: means of some of the seeds would not compare with those of all.
        """
        return _means(np.asarray(column, dtype=np.float64)[self.members], self.starts)


def on_front_probability(cloud: Cloud, goals: Numbers, replicates: int = REPLICATES) -> Numbers:
    """(C,) the probability that a configuration is on the front of means, were its seeds drawn anew.

    ``goals`` (N, M) are those of all rows of the table, smaller always better. A bootstrap: the n seeds of each
    configuration are resampled by themselves, n - 1 of them with replacement, so that the mean of what is drawn varies
    as the mean of n seeds does, with variance s² / n (Rao and Wu 1988; n draws would vary by (n - 1) / n of it). A
    single seed stays where it is. NaN where a configuration lacks a goal, and everywhere if none has a second seed:
    then nothing is known.

    What a row draws depends on its place in the table alone: filters and trials that come later do not disturb it.
    O(replicates × n log n) over the configurations that can be on the front at all.
    """
    found = np.full(len(cloud), np.nan)
    points = np.asarray(goals, dtype=np.float64)[cloud.members]
    complete = np.asarray(np.isfinite(cloud.average(goals)).all(axis=1))
    if not (cloud.count[complete] > 1).any():
        return found
    found[complete] = 0.0
    members, starts = _only(cloud.starts, complete)
    hopeful = complete.copy()
    hopeful[complete] = _may_be_on_front(points[members], starts)
    members, starts = _only(cloud.starts, hopeful)
    points, rows = points[members], cloud.members[members]
    base = np.repeat(starts[:-1], np.diff(starts))
    count = np.repeat(np.diff(starts), np.diff(starts))
    # Of every configuration with several seeds the last draw is left out.
    last = np.zeros(len(members), dtype=np.bool_)
    last[starts[1:] - 1] = True
    drawing = ~last | (count == 1)
    base, count, rows = base[drawing], count[drawing], rows[drawing]
    drawn_starts = np.append(0, np.cumsum(np.maximum(np.diff(starts) - 1, 1)))
    times = np.zeros(len(starts) - 1, dtype=np.int64)
    for replicate in range(replicates):
        chance = np.random.default_rng(replicate).random(int(rows.max()) + 1)[rows]
        drawn = base + (chance * count).astype(np.int64)
        times += front_mask(_means(points[drawn], drawn_starts))
    found[hopeful] = times / replicates
    return found


def _means(values: Numbers, starts: Codes) -> Numbers:
    """(C, …) means of the rows between starts, taken from the first of each: those of equal rows are exact."""
    anchor = values[starts[:-1]]
    if not len(anchor):
        return anchor
    count = np.diff(starts)
    with np.errstate(over="ignore", invalid="ignore"):
        off = values - np.repeat(anchor, count, axis=0)
        total = np.add.reduceat(off, starts[:-1], axis=0)
        return np.asarray(anchor + total / count.reshape(-1, *[1] * (values.ndim - 1)))


def _half_widths(values: Numbers, mean: Numbers, starts: Codes) -> Numbers:
    """(C, M) half of the intervals of the means."""
    from scipy.special import stdtrit

    if not len(mean):
        return mean
    count = np.diff(starts)[:, None]
    several = np.where(count > 1, count, np.nan)
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.add.reduceat((values - np.repeat(mean, count[:, 0], axis=0)) ** 2, starts[:-1], axis=0)
        spread = np.sqrt(squares / (several - 1) / several)
    return np.asarray(stdtrit(several - 1, (1 + CONFIDENCE) / 2) * spread)


def _nearest(values: Numbers, mean: Numbers, starts: Codes) -> Codes:
    """(C,) place of the member nearest its mean."""
    if not len(mean):
        return np.empty(0, dtype=np.int64)
    with np.errstate(over="ignore", invalid="ignore"):
        span = np.ptp(values, axis=0)
        scale = np.where((span > 0) & np.isfinite(span), span, 1.0)
        off = ((values - np.repeat(mean, np.diff(starts), axis=0)) / scale) ** 2
        # Two seeds are equally far from their mean: rounding is not to choose between them.
        distance = np.round(off.sum(axis=1), 12)
    owner = np.repeat(np.arange(len(mean)), np.diff(starts))
    return np.lexsort((distance, owner))[starts[:-1]]


def _only(starts: Codes, mask: Mask) -> tuple[Codes, Codes]:
    """Places of the members of some configurations, and where each of these starts among them."""
    count = np.diff(starts)
    places = np.flatnonzero(np.repeat(mask, count))
    return places, np.append(0, np.cumsum(count[mask]))


def _may_be_on_front(points: Numbers, starts: Codes) -> Mask:
    """(C,) whether a configuration, at its best seed in every goal, is dominated by no other at its worst.

    Those that are, are so in every replicate, and what dominates them is there or dominated itself: the front of the
    others is the front of all. O(C F) where F are on the front of the worst.
    """
    best = np.minimum.reduceat(points, starts[:-1], axis=0)
    worst = np.maximum.reduceat(points, starts[:-1], axis=0)
    worst = np.unique(worst[front_mask(worst)], axis=0)
    may = np.ones(len(best), dtype=np.bool_)
    step = max(1, BLOCK // max(1, len(worst)))
    for start in range(0, len(best), step):
        block = best[start : start + step]
        no_worse = np.ones((len(block), len(worst)), dtype=np.bool_)
        better = ~no_worse
        for one, other in zip(block.T, worst.T, strict=True):
            no_worse &= other <= one[:, None]
            better |= other < one[:, None]
        may[start : start + step] = ~(no_worse & better).any(axis=1)
    return may
