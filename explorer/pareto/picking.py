"""One trial of a sweep to be used: that of the configuration at the front's knee, or the best that keeps a bound."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from explorer.errors import UserError, brief
from explorer.goals import Direction
from explorer.pareto.choice import knee
from explorer.pareto.cloud import Cloud
from explorer.pareto.dominance import front_mask
from explorer.results.columns import Columns
from explorer.results.naming import number
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At
from trainables.nearest import nearest

__all__ = ["Bound", "Standing", "best_within", "knee_trial", "parse_bound", "standing"]


@dataclass(frozen=True)
class Bound:
    """A metric and the value that it must reach in its own direction."""

    metric: str
    value: float


@dataclass(frozen=True)
class Standing:
    """How the configuration of a trial stands, over all its seeds.

    Attributes:
        seeds: how many there are.
        on_front: whether no other configuration's means are better.
        front: configurations on the front of means.
        of: all configurations.
        means: mean and ends of its 95 % interval by objective; ends of a single seed are NaN.
    """

    seeds: int
    on_front: bool
    front: int
    of: int
    means: Mapping[str, tuple[float, float, float]]


def standing(table: TrialTable, trial: Trial, at: At = PLAIN) -> Standing | None:
    """That of a trial; None of one that lacks an objective."""
    columns = Columns(table)
    cloud = Cloud.of(columns, columns.finished, [goal.metric for goal in table.goals], at)
    places = cloud.owner[cloud.members == columns.row_of[trial.id]]
    if not len(places):
        return None
    own, front = int(places[0]), front_mask(cloud.average(columns.goals(at)))
    numbers = (cloud.mean[own].tolist(), cloud.low[own].tolist(), cloud.high[own].tolist())
    means = {goal.metric: ends for goal, ends in zip(table.goals, zip(*numbers, strict=True), strict=True)}
    return Standing(int(cloud.count[own]), bool(front[own]), int(front.sum()), len(cloud), means)


def parse_bound(text: str) -> Bound:
    """``recall=0.8`` → a bound."""
    metric, separator, value = text.partition("=")
    try:
        found = Bound(metric.strip(), float(value))
    except ValueError:
        found = Bound("", math.nan)
    if not separator or not found.metric or not math.isfinite(found.value):
        raise UserError(f"--at takes metric=value, got '{brief(text)}'; write for example recall=0.8")
    return found


def knee_trial(table: TrialTable, at: At = PLAIN) -> Trial:
    """The trial that stands for the configuration at the knee of the front of means over seeds."""
    columns, cloud, goals = _configurations(table, at)
    front = np.flatnonzero(front_mask(goals))
    return columns.trials[int(cloud.first[front[knee(goals[front])]])]


def best_within(table: TrialTable, bound: Bound, at: At = PLAIN) -> Trial:
    """Of the configurations whose mean over seeds keeps a bound the one that is best in the first other objective."""
    _refuse_unknown(table, bound.metric, at)
    columns, cloud, goals = _configurations(table, at)
    direction = _direction(columns, bound.metric)
    others = [i for i, goal in enumerate(table.goals) if goal.metric != bound.metric]
    if not others:
        raise UserError(
            f"--at needs an objective beside its own metric, and sweep '{brief(table.sweep)}' strives for "
            f"{bound.metric} alone; bound another metric"
        )
    values = cloud.average(columns.metric(bound.metric, at))
    keeps = values >= bound.value if direction == "max" else values <= bound.value
    if not keeps.any():
        best = np.nanmax(values) if direction == "max" else np.nanmin(values)
        sign = "≥" if direction == "max" else "≤"
        raise UserError(
            f"no configuration of sweep '{brief(table.sweep)}' has {bound.metric} {sign} {bound.value:g}; the best has "
            f"{number(float(best))}, so ask for that or train more"
        )
    rows = np.flatnonzero(keeps)
    return columns.trials[int(cloud.first[rows[np.argmin(goals[rows, others[0]])]])]


def _configurations(table: TrialTable, at: At) -> tuple[Columns, Cloud, np.ndarray]:
    """The finished configurations that have all objectives, and their means, smaller always better."""
    columns = Columns(table)
    cloud = Cloud.of(columns, columns.finished, [goal.metric for goal in table.goals], at)
    if not len(cloud):
        names = ", ".join(goal.metric for goal in table.goals)
        raise UserError(
            f"sweep '{brief(table.sweep)}' must have a finished trial with {names} at {at.words()}, and has none; "
            "let one finish"
        )
    return columns, cloud, cloud.average(columns.goals(at))


def _refuse_unknown(table: TrialTable, metric: str, at: At) -> None:
    names = table.metric_names(at)
    if metric not in names:
        raise UserError(
            f"--at must name a metric of sweep '{brief(table.sweep)}', got '{brief(metric)}'{nearest(metric, names)}"
        )


def _direction(columns: Columns, metric: str) -> Direction:
    found = columns.direction(metric)
    if found is None:
        raise UserError(
            f"--at needs a metric that is better large or small, and {metric} is neither; name another"
        )
    return found
