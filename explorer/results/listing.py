"""All sweeps of a store with what is known of each without reading its trials: counts, the best of every objective."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from explorer.goals import USUAL_GOALS, Goal, parse_goals
from explorer.results.catalogue import INFINITE
from explorer.results.runs import SweepInfo, goals_of, info_of
from explorer.results.store import ResultStore
from explorer.store import schema
from explorer.store.holders import Holder
from explorer.store.runs import StoredRun, status_of
from explorer.store.schema import Status

__all__ = ["Listed", "listed_sweeps"]

SUMMARY: Mapping[Status, str] = {"finished": "trials_finished", "failed": "trials_failed"}
"""Metrics of a sweep's own run that count its trials, where its writer told them."""
FRONT_SIZE, HYPERVOLUME, BEST = "front_size", "hypervolume", "best/"


@dataclass(frozen=True)
class Listed:
    """A sweep in a list.

    Attributes:
        info: name, status and place.
        goals: what it strives for.
        counts: trials by status; empty where nobody has counted them.
        best: the best value of each objective among the finished trials, of the model as it is, where that is known.
        front, hypervolume: of its front, as its last launch told them.
        driven: whether somebody drives it; None where that cannot be seen from here.
    """

    info: SweepInfo
    goals: tuple[Goal, ...] = ()
    counts: Mapping[Status, int] = field(default_factory=dict)
    best: Mapping[str, float] = field(default_factory=dict)
    front: int | None = None
    hypervolume: float | None = None
    driven: bool | None = None

    def document(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "name": self.info.name,
            "kind": self.info.kind,
            "description": self.info.description,
            "experiment": self.info.experiment,
            "status": self.info.status,
            "driven": self.driven,
            "trials": self.info.trials,
            "counts": dict(self.counts),
            "objectives": {goal.metric: goal.direction for goal in self.goals},
            "best": dict(self.best),
            "front_size": self.front,
            "hypervolume": self.hypervolume,
            "updated": self.info.updated.isoformat(),
        }


def listed_sweeps(store: ResultStore) -> list[Listed]:
    """All sweeps of ours, newest first.

    From a SQLite file some rows per trial, counted where they lie; of a server what the sweeps' own runs tell.
    """
    parents = store.parents()
    goals = {run.run_id: goals_of(run) or parse_goals(USUAL_GOALS) for run, _ in parents}
    told = store.swiftly(
        lambda link: (
            _own(link, [run.run_id for run, _ in parents]),
            _counts(link),
            _best(link, goals),
        )
    )
    own, counts, best = told or ({run.run_id: dict(run.metrics) for run, _ in parents}, {}, {})
    found = []
    for run, experiment in parents:
        metrics = own.get(run.run_id, {})
        size = metrics.get(FRONT_SIZE, math.nan)
        volume = metrics.get(HYPERVOLUME, math.nan)
        found.append(
            Listed(
                info=info_of(run, experiment),
                goals=goals[run.run_id],
                counts=counts.get(run.run_id) or _summary(metrics),
                best=best.get(run.run_id) or _told_best(metrics, goals[run.run_id]),
                front=int(size) if math.isfinite(size) else None,
                hypervolume=volume if math.isfinite(volume) else None,
                driven=_driven(run),
            )
        )
    return sorted(found, key=lambda one: one.info.updated, reverse=True)


def _driven(run: StoredRun) -> bool | None:
    """Whether a driver holds it; one on another machine holds it as far as anybody knows."""
    if run.status != "running":
        return False
    holder = Holder.parse(run.tags.get(schema.LEASE))
    if holder is None:  # left, or driven by an earlier version, which holds nothing
        return None
    return not holder.is_dead if holder.is_near else None


def _summary(metrics: Mapping[str, float]) -> dict[Status, int]:
    """Counts that the sweep's own run has."""
    there = {status: metrics.get(name, math.nan) for status, name in SUMMARY.items()}
    return {status: int(count) for status, count in there.items() if math.isfinite(count)}


def _told_best(metrics: Mapping[str, float], goals: Iterable[Goal]) -> dict[str, float]:
    """The best of each objective, as the sweep's own run has it."""
    there = {goal.metric: metrics.get(BEST + goal.metric, math.nan) for goal in goals}
    return {metric: value for metric, value in there.items() if math.isfinite(value)}


def _own(link: sqlite3.Connection, runs: Iterable[str]) -> dict[str, dict[str, float]]:
    """Last values of the sweeps' own runs."""
    query = (
        "SELECT run_uuid, key, value FROM latest_metrics WHERE NOT is_nan AND run_uuid IN "
        "(SELECT value FROM json_each(?))"
    )
    found: dict[str, dict[str, float]] = {}
    for run, key, value in link.execute(query, (json.dumps(list(runs)),)):
        found.setdefault(run, {})[key] = float(value)
    return found


def _counts(link: sqlite3.Connection) -> dict[str, dict[Status, int]]:
    """Living trials by their sweep's run and their status."""
    query = (
        "SELECT parent.value, runs.status, count(*) FROM tags AS parent JOIN runs USING (run_uuid) "
        "WHERE parent.key = ? AND runs.lifecycle_stage = 'active' GROUP BY 1, 2"
    )
    found: dict[str, dict[Status, int]] = {}
    for parent, status, count in link.execute(query, (schema.PARENT,)):
        mine = found.setdefault(parent, {})
        mine[status_of(status)] = mine.get(status_of(status), 0) + count
    return found


def _best(link: sqlite3.Connection, goals: Mapping[str, tuple[Goal, ...]]) -> dict[str, dict[str, float]]:
    """The best value of each objective among finished trials, by their sweep's run."""
    names = sorted({goal.metric for mine in goals.values() for goal in mine})
    query = (
        "SELECT parent.value, last.key, min(last.value), max(last.value) FROM tags AS parent "
        "JOIN runs USING (run_uuid) JOIN latest_metrics AS last USING (run_uuid) "
        f"WHERE parent.key = ? AND runs.lifecycle_stage = 'active' AND runs.status = 'FINISHED' AND NOT last.is_nan "
        f"AND abs(last.value) < {INFINITE} AND last.key IN (SELECT value FROM json_each(?)) GROUP BY 1, 2"
    )
    ends = {
        (parent, key): (float(low), float(high))
        for parent, key, low, high in link.execute(query, (schema.PARENT, json.dumps(names)))
    }
    return {
        run: {
            goal.metric: ends[run, goal.metric][goal.direction == "max"]
            for goal in mine
            if (run, goal.metric) in ends
        }
        for run, mine in goals.items()
    }
