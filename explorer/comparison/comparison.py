"""Runs beside each other: what differs, every metric with its interval, and which differences are more than luck."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from explorer.comparison.sides import Side, are_siblings, is_end, metric_names, seeds_of
from explorer.comparison.significance import Difference, difference, holm
from explorer.errors import UserError, brief
from explorer.goals import Direction
from explorer.pareto.comparison import Estimate, differing, estimates, shared
from explorer.results.table import Scalar, TrialTable
from explorer.store.schema import At
from trainables.nearest import nearest

__all__ = ["COSTS", "Comparison", "Measured", "Verdict", "compare_sides"]

COSTS = ("train_seconds", "gpu_seconds", "acceptance", "draws", "scores", "gradients")
"""What training and a sample cost, where it was measured."""
ITERATIONS = "training.iterations"

Verdict = Literal["better", "worse", "higher", "lower", "equal", "unsure", "few", "unknown"]
"""How one stands beside the first: ``unsure`` where it may be luck, ``few`` where seeds are too few to tell."""


@dataclass(frozen=True)
class Measured:
    """One metric of all sides.

    Attributes:
        name, title, direction: as the catalogue of the first sweep that knows it has them; the title with its unit.
        values: per side, the mean over its seeds and the interval of that.
        seeds: per side, the single values behind it, by seed; by number where the seeds are not known.
        differences: per side, how much larger it is than the first; of the first nothing.
        best: the side of the best mean; None where all are alike, or where nobody knows where better lies.
    """

    name: str
    title: str
    direction: Direction | None
    values: tuple[Estimate, ...]
    seeds: tuple[Mapping[object, float], ...]
    differences: tuple[Difference, ...]
    best: int | None

    def verdict(self, side: int) -> Verdict:
        """How a side, not the first, stands beside the first."""
        found = self.differences[side - 1]
        if not found.is_known:
            return "unknown"
        if found.p is None:
            return "few"
        if not found.is_significant:
            return "equal" if found.value == 0 and found.test == "exact" else "unsure"
        if self.direction is None:
            return "higher" if found.value > 0 else "lower"
        return "better" if (found.value > 0) == (self.direction == "max") else "worse"


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two runs or more beside each other; the first is what the others are compared with.

    Attributes:
        sides: the runs, each with its sweep.
        at: the reading of each.
        alone: single seeds are compared, since two of them are seeds of one configuration.
        metrics: what was measured of any of them.
        costs: what they cost, the same way; differences of these are not tested.
    """

    sides: tuple[Side, ...]
    at: tuple[At, ...]
    alone: bool
    metrics: tuple[Measured, ...]
    costs: tuple[Measured, ...]

    @property
    def points(self) -> list[Mapping[str, Scalar]]:
        """What was trained, per side; without the seed where configurations are compared."""
        if self.alone:
            return [side.trial.params for side in self.sides]
        return [{k: v for k, v in side.trial.params.items() if k != "seed"} for side in self.sides]

    def differing(self) -> list[str]:
        """Dotted paths that the sides have with different values, λ first."""
        return differing(self.points)

    def shared(self) -> dict[str, Scalar]:
        """What all have alike."""
        return shared(self.points)

    def seeds(self, side: int) -> int:
        """How many finished seeds stand behind a side."""
        return 1 if self.alone else max(1, int(seeds_of(self.sides[side]).sum()))

    def iterations(self, side: int) -> int | None:
        """For how many iterations a side's trial was trained; None where nobody knows."""
        trial = self.sides[side].trial
        told = trial.params.get(ITERATIONS) if trial.stopped is None else trial.stopped.iteration
        return int(told) if isinstance(told, int | float) and not isinstance(told, bool) else None

    def sentences(self) -> Iterator[str]:
        """What came of it, in words."""
        from explorer.comparison.words import sentences

        return sentences(self)


def compare_sides(
    sides: Sequence[Side], budget: float = 1, method: str | None = None, metrics: Sequence[str] | None = None
) -> Comparison:
    """Sides at one reading, over all seeds of their configurations; O(N) a metric for sweeps of N trials.

    ``metrics`` are names, by default the objectives and what fits beside them, and all there are if it is ``["all"]``.
    """
    at = tuple(side.columns.table.reading_at(budget, method) for side in sides)
    alone = are_siblings(sides)
    names = _asked(sides, at, metrics)
    found = [_measured(sides, at, name, alone) for name in names]
    every = iter(holm([one for metric in found for one in metric.differences]))
    corrected = [
        replace(metric, differences=tuple(next(every) for _ in metric.differences)) for metric in found
    ]
    costs = [_measured(sides, at, name, alone) for name in COSTS if name not in names]
    return Comparison(
        tuple(sides),
        at,
        alone,
        tuple(corrected),
        tuple(cost for cost in costs if any(math.isfinite(one.value) for one in cost.values)),
    )


def _asked(sides: Sequence[Side], at: Sequence[At], metrics: Sequence[str] | None) -> list[str]:
    """The metrics that are compared; refuses what none of the sweeps measured there."""
    if metrics is None:
        return metric_names(list(zip(sides, at, strict=True)))
    if not metrics:
        raise UserError("metrics to compare must be named, got none; leave them out for the usual ones")
    there = [name for side, own in zip(sides, at, strict=True) for name in side.columns.metric_names(own)]
    known = [name for name in dict.fromkeys(there) if not is_end(name)]
    if list(metrics) == ["all"]:
        return [name for name in known if name not in COSTS]
    for name in metrics:
        if name not in known:
            raise UserError(
                f"a metric to compare must be one that was measured, got '{brief(name)}'{nearest(name, known)}"
            )
    return list(dict.fromkeys(metrics))


def _measured(sides: Sequence[Side], at: Sequence[At], name: str, alone: bool) -> Measured:
    values = tuple(
        estimates(side.columns, side.row, [name], own, alone)[name]
        for side, own in zip(sides, at, strict=True)
    )
    seeds = [_by_seed(side, own, name, alone) for side, own in zip(sides, at, strict=True)]
    told = next(
        (s.columns for s, own in zip(sides, at, strict=True) if name in s.columns.metric_names(own)),
        sides[0].columns,
    )
    direction = next((d for side in sides if (d := side.columns.direction(name)) is not None), None)
    seeded = all(seed[0] for seed in seeds)
    return Measured(
        name,
        _title(told.table, name),
        direction,
        values,
        tuple(found for _, found in seeds),
        tuple(difference(found, seeds[0][1], seeded) for _, found in seeds[1:]),
        _best(values, direction),
    )


def _title(table: TrialTable, name: str) -> str:
    entry = table.catalogue.entries.get(name)
    return f"{entry.title}, {entry.unit}" if entry is not None and entry.unit else table.title(name)


def _by_seed(side: Side, at: At, name: str, alone: bool) -> tuple[bool, dict[object, float]]:
    """Finite values of a side's seeds, and whether these are known; of a trial alone its own."""
    columns = side.columns
    same = seeds_of(side)
    if alone or not same.any():
        same = np.arange(len(columns)) == side.row
    values = columns.metric(name, at)
    rows = [int(row) for row in np.flatnonzero(same & np.isfinite(values))]
    seeds = [columns.trials[row].seed for row in rows]
    known = None not in seeds and len(set(seeds)) == len(seeds)
    keys: Sequence[object] = seeds if known else range(len(rows))
    return known, {key: float(values[row]) for key, row in zip(keys, rows, strict=True)}


def _best(values: Sequence[Estimate], direction: Direction | None) -> int | None:
    """The best mean, where they are not all alike."""
    known = [i for i, one in enumerate(values) if math.isfinite(one.value)]
    if direction is None or len({values[i].value for i in known}) < 2:
        return None
    sign = 1.0 if direction == "max" else -1.0
    return max(known, key=lambda i: sign * values[i].value)
