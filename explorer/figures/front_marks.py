"""The points of a front: configurations with their seeds, or single trials, at one reading or at all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from explorer.figures.scales import possible
from explorer.pareto.cloud import Cloud, on_front_probability
from explorer.pareto.dominance import ranks
from explorer.results.columns import Codes, Columns, Mask, Numbers
from explorer.results.inertness import ways_of
from explorer.store.schema import At

__all__ = ["CHANCE", "PSEUDO", "RANK", "READING", "Marks", "marks_of"]

READING, RANK, CHANCE = ":reading", ":rank", ":chance"
PSEUDO = (READING, RANK, CHANCE)
"""What a point can be coloured or divided by beside the sweep's own columns, which have no such names."""


@dataclass(frozen=True, eq=False)
class Marks:
    """Points (n,) in the plane of two columns.

    Attributes:
        columns: whose rows they are.
        rows: (N,) the trials that were asked for.
        ats: the readings at which they are drawn.
        seeds: whether each is a single trial, not a configuration.
        row: (n,) the trial that stands for the point: itself, or the seed nearest its configuration's mean.
        reading: (n,) index into ``ats``.
        count: (n,) seeds behind it.
        place, low, high: (n, 2) x and y, and the 95 % interval of their means as far as possible; NaN of one seed.
        goals: (n, M) the sweep's objectives, smaller always better; NaN where one is missing.
        chance: (n,) probability of being on the front when seeds are drawn again; NaN where seeds cannot tell.
    """

    columns: Columns
    rows: Mask
    ats: tuple[At, ...]
    seeds: bool
    row: Codes
    reading: Codes
    count: Codes
    place: Numbers
    low: Numbers
    high: Numbers
    goals: Numbers
    chance: Numbers

    def __len__(self) -> int:
        return len(self.row)

    @cached_property
    def rank(self) -> Codes:
        """(n,) rank of non-domination under the sweep's objectives, 0 on the front; -1 where one is missing."""
        return ranks(self.goals)

    @property
    def front(self) -> Mask:
        """(n,) which are on the front."""
        found: Mask = self.rank == 0
        return found

    @cached_property
    def hollow(self) -> Mask:
        """(n,) in which λ did nothing: it never capped the loss, or starved the generator."""
        inert: Mask = ways_of(self.columns)[self.row] > 0
        return inert

    @cached_property
    def configuration(self) -> Codes:
        """(n,) configuration of each."""
        return self.columns.configurations[self.row]

    def names(self) -> tuple[str, ...]:
        """What each is called: by what varies, without the seed where it stands for several."""
        if self.seeds:
            return tuple(self.columns.names[row] for row in self.row)
        return tuple(self.columns.configuration_names[code] for code in self.configuration)

    def of(self, name: str) -> Numbers:
        """(n,) a numeric column: the mean over seeds of a metric, the value of a parameter, or one of ``PSEUDO``."""
        if name == RANK:
            return np.where(self.rank < 0, np.nan, self.rank).astype(np.float64)
        if name == CHANCE:
            return self.chance
        found = np.full(len(self), np.nan)
        for i, at in enumerate(self.ats):
            here = self.reading == i
            found[here] = self.at(name, at)[here]
        return found

    def at(self, name: str, at: At) -> Numbers:
        """(n,) a column at a reading that need not be their own."""
        if self.seeds or name not in self.columns.metric_names(at):
            return self.columns.numbers(name, at)[self.row]
        return _mean(self.columns, self.rows, name, at)[self.configuration]


def marks_of(
    columns: Columns, rows: NDArray[np.bool_], x: str, y: str, ats: Sequence[At], seeds: bool
) -> Marks:
    """The points of the trials of a mask that have both columns; O(trials · readings), and a bootstrap.

    The last ones are remembered with the columns.
    """
    key = "marks", np.packbits(rows).tobytes(), x, y, tuple(ats), seeds
    return columns.remembered(key, lambda: _marks(columns, rows, x, y, tuple(ats), seeds))


def _marks(columns: Columns, rows: Mask, x: str, y: str, ats: tuple[At, ...], seeds: bool) -> Marks:
    parts = [_trials(columns, rows, x, y, at) if seeds else _means(columns, rows, x, y, at) for at in ats]
    stacked = [np.concatenate(column) for column in zip(*parts, strict=True)]
    row, count, place, low, high, goals, chance = stacked
    reading = np.repeat(np.arange(len(ats)), [len(part[0]) for part in parts])
    return Marks(columns, rows, ats, seeds, row, reading, count, place, low, high, goals, chance)


def _trials(columns: Columns, rows: Mask, x: str, y: str, at: At) -> tuple[NDArray[np.generic], ...]:
    place = np.stack([columns.numbers(x, at), columns.numbers(y, at)], axis=1)
    row = np.flatnonzero(rows & np.isfinite(place).all(axis=1))
    none = np.full((len(row), 2), np.nan)
    goals = columns.goals(at)[row]
    # Who has not finished is drawn, and takes no part in the front.
    goals = np.where(columns.finished[row][:, None], goals, np.nan)
    return row, np.ones(len(row), dtype=np.int64), place[row], none, none, goals, np.full(len(row), np.nan)


def _means(columns: Columns, rows: Mask, x: str, y: str, at: At) -> tuple[NDArray[np.generic], ...]:
    cloud = Cloud.of(columns, rows, (x, y), at)
    ranked = Cloud.of(columns, rows & columns.finished, [goal.metric for goal in columns.table.goals], at)
    goals = np.full((len(cloud.configurations), len(columns.table.goals)), np.nan)
    chance = np.full(len(cloud.configurations), np.nan)
    if len(ranked.configurations):
        signs = np.array([goal.sign for goal in columns.table.goals])
        where = np.searchsorted(ranked.configurations, cloud.configurations)
        where = np.minimum(where, len(ranked.configurations) - 1)
        known = ranked.configurations[where] == cloud.configurations
        goals[known] = (ranked.mean * signs)[where[known]]
        chance[known] = on_front_probability(ranked, columns.goals(at))[where[known]]
    low, high = (
        np.stack([possible(columns, name, ends[:, i]) for i, name in enumerate((x, y))], axis=1)
        for ends in (cloud.low, cloud.high)
    )
    return cloud.first, cloud.count, cloud.mean, low, high, goals, chance


def _mean(columns: Columns, rows: Mask, name: str, at: At) -> Numbers:
    """Mean of a metric over the seeds of every configuration; NaN where none has it."""
    values = columns.metric(name, at)
    rows = rows & np.isfinite(values)
    codes, most = columns.configurations[rows], int(columns.configurations.max(initial=-1)) + 1
    count = np.bincount(codes, minlength=most)
    with np.errstate(invalid="ignore"):
        mean: Numbers = np.bincount(codes, weights=values[rows], minlength=most) / count
    return mean
