"""Ranks of non-domination and the hypervolume of a table of trials."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from explorer.goals import Goal, minimised
from explorer.pareto.dominance import hypervolume, is_long, ranks
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, At

__all__ = ["Ranking", "rank", "reference_point"]


@dataclass(frozen=True)
class Ranking:
    """How the trials of one sweep stand to each other under its objectives.

    Attributes:
        ranks: per trial identity, 0 on the front, else 1 + the greatest rank among those that dominate it.
            Trials that are not finished or lack an objective have none.
        reference: the reference point, by metric.
        at: the reading by which trials were ranked.
        points: (N, M) objectives of the front's trials, and
        corner: (M,) those of the reference point, smaller always better.
    """

    ranks: Mapping[str, int]
    reference: Mapping[str, float]
    at: At
    points: NDArray[np.float64] = field(repr=False, compare=False)
    corner: NDArray[np.float64] = field(repr=False, compare=False)

    @property
    def front(self) -> frozenset[str]:
        """Identities of the non-dominated trials."""
        return frozenset(trial for trial, r in self.ranks.items() if r == 0)

    @cached_property
    def hypervolume(self) -> float:
        """Volume that the front dominates, up to the reference point; NaN where ``unmeasured`` says why.

        Computed when it is first asked for; ``explorer.pareto.dominance`` says what it costs.
        """
        return hypervolume(self.points, self.corner)

    @property
    def unmeasured(self) -> str | None:
        """Why there is no hypervolume, None if there is one."""
        count, goals = self.points.shape
        if is_long(count, goals):
            return f"that of {count} trials under {goals} objectives would take too long"
        return "no number is as large" if math.isnan(self.hypervolume) else None


def rank(table: TrialTable, at: At = PLAIN, reference: Mapping[str, float] | None = None) -> Ranking:
    """Sort the finished trials of a table by Pareto dominance, at one reading.

    Ranks are those of ``explorer.pareto.dominance``, which says what they cost. The reference point is found by looking
    at all readings: who ranks several of them finds it once and hands it in.
    """
    trials = table.finished().trials
    points = minimised(table.goals, (trial.at(at) for trial in trials))
    found = ranks(points)
    reference = reference_point(table) if reference is None else reference
    return Ranking(
        ranks={trials[i].id: int(found[i]) for i in np.flatnonzero(found >= 0)},
        reference=reference,
        at=at,
        points=points[found == 0],
        corner=minimised(table.goals, [reference])[0],
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
