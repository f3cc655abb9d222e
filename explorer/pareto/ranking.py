"""Ranks of non-domination and the hypervolume of a table of trials, through moocore."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from explorer.goals import Goal, minimised
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, At

__all__ = ["Ranking", "rank", "reference_point"]


@dataclass(frozen=True)
class Ranking:
    """How the trials of one sweep stand to each other under its objectives.

    Attributes:
        ranks: per trial identity, 0 on the front, else 1 + the greatest rank among those that dominate it.
            Trials that are not finished or lack an objective have none.
        hypervolume: volume that the front dominates, up to the reference point.
        reference: the reference point, by metric.
        at: the reading by which trials were ranked.
    """

    ranks: Mapping[str, int]
    hypervolume: float
    reference: Mapping[str, float]
    at: At = PLAIN

    @property
    def front(self) -> frozenset[str]:
        """Identities of the non-dominated trials."""
        return frozenset(trial for trial, r in self.ranks.items() if r == 0)


def rank(table: TrialTable, at: At = PLAIN) -> Ranking:
    """Sort the finished trials of a table by Pareto dominance, at one reading.

    x dominates y if it is nowhere worse and somewhere better. Equal points do not dominate each other and share
    their rank. Cost for N trials and M objectives: O(N log N) for M = 2 (Jensen 2003), O(N² log N) for M = 3,
    O(N² log^{M-2} N) beyond; the hypervolume costs O(N log N) for M ≤ 3 and grows with N^{M-2} or so beyond.
    """
    import moocore

    trials = table.finished().trials
    points = minimised(table.goals, (trial.at(at) for trial in trials))
    complete = np.flatnonzero(np.isfinite(points).all(axis=1))
    points = points[complete]
    identities = [trials[i].id for i in complete]
    reference = reference_point(table)
    corner = minimised(table.goals, [reference])[0]
    volume = float(moocore.hypervolume(points, ref=corner)) if len(points) else 0.0
    ranks = moocore.pareto_rank(points) if len(points) else ()
    return Ranking(
        ranks={identity: int(r) for identity, r in zip(identities, ranks, strict=True)},
        hypervolume=volume,
        reference=reference,
        at=at,
    )


def reference_point(table: TrialTable) -> dict[str, float]:
    """The worst corner, by metric: the metric's own bound, or else the worst finite value of the sweep.

    The worst value is taken over all finished trials at all readings, so hypervolumes of one sweep compare
    across K. Those of two sweeps do not where an objective has no bound on its bad side, as fid: their corners
    differ. The trial that sets such a corner adds no volume. NaN if no trial has the metric.
    """
    return {goal.metric: _worst(table, goal) for goal in table.goals}


def _worst(table: TrialTable, goal: Goal) -> float:
    low, high = table.catalogue.bounds(goal.metric)
    bound = low if goal.direction == "max" else high
    if bound is not None:
        return bound
    reads = (read for trial in table.finished() for read in trial.readings.values())
    values = [read[goal.metric] for read in reads if math.isfinite(read.get(goal.metric, math.nan))]
    return max(values, key=lambda v: goal.sign * v, default=math.nan)
