"""What readings cost, and what a sweep reaches when every trial may spend the same on one sample.

A refinement draws several samples for one that is kept. Two fronts at different K are therefore no equals: at a limit
on the cost of a sample, a trial may be read in any way that costs no more, and the front is that over all such pairs of
a trial and a reading.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from explorer.pareto.corner import corner_of
from explorer.pareto.dominance import front_mask, hypervolume
from explorer.results.columns import Columns
from explorer.store.schema import PLAIN, At

__all__ = ["COSTS", "PARTS", "Affordable", "Worth", "affordable", "cost_of", "worth_of"]

Numbers = NDArray[np.float64]
Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]

PARTS = ("draws", "scores", "gradients")
"""What a kept sample costs: samples drawn, calls of the critic, gradients taken."""
COSTS = ("calls", *PARTS)
"""All of these together, by which refinements of every kind can be compared, and each by itself."""
MOST_KEPT = 16
"""Fronts of a reading that are remembered."""
ROUNDING = 0.05
"""A reading may cost this share more than the limit: one draw in K is kept on average, which may have been 2.03."""


@dataclass(frozen=True, eq=False)
class Affordable:
    """Pairs of a trial and a reading within a limit.

    Attributes:
        limit: the most a sample may cost.
        rows, readings: (n,) the pairs on their common front: rows of the table, and indices into ``Columns.readings``.
        pairs: how many pairs were compared.
        volume: hypervolume of the front.
    """

    limit: float
    rows: Codes
    readings: Codes
    pairs: int
    volume: float


@dataclass(frozen=True)
class Worth:
    """What a sweep reaches at one reading.

    Attributes:
        at: the reading.
        trials: how many have it.
        volume: hypervolume of their front, and
        gain: by how much it exceeds that of the same trials' models as they are.
        best: the best value of every objective by any trial, in the order of the objectives.
        cost: mean draws for a sample.
    """

    at: At
    trials: int
    volume: float
    gain: float
    best: tuple[float, ...]
    cost: float


def cost_of(columns: Columns, at: At, kind: str = "draws") -> Numbers:
    """(N,) what a sample costs at a reading, NaN where nobody knows; kept with the columns.

    The model as it is costs one draw and nothing else. Draws that were not told follow from the share that was kept, or
    else are K. ``calls`` are draws, scores and gradients together.
    """
    if kind == "calls":
        draws, scores, gradients = (cost_of(columns, at, part) for part in PARTS)
        return draws + scores + gradients
    return columns.kept(("cost", at, kind), lambda: _cost(columns, at, kind))


def affordable(
    columns: Columns, rows: Mask, limit: float, kind: str = "draws", methods: Sequence[str] | None = None
) -> Affordable:
    """The front of all pairs of a trial in ``rows`` (N,) and a reading that costs at most ``limit``.

    ``methods`` are those allowed beside the model as it is, all if None. O(P log P) for P pairs of M ≤ 3 objectives.
    """
    points, which, readings, pairs = [], [], [], 0
    for index, at in enumerate(columns.readings):
        if at != PLAIN and methods is not None and at.method not in methods:
            continue
        cheap = rows & columns.finished & (cost_of(columns, at, kind) <= limit * (1 + ROUNDING))
        goals = columns.goals(at)
        pairs += int((cheap & np.isfinite(goals).all(axis=1)).sum())
        # Who is dominated at its own reading is dominated among all.
        found = _front(columns, cheap, at)
        points.append(goals[found])
        which.append(found)
        readings.append(np.full(len(found), index))
    every = np.concatenate(points)
    front = front_mask(every)
    return Affordable(
        limit=limit,
        rows=np.concatenate(which)[front],
        readings=np.concatenate(readings)[front],
        pairs=pairs,
        volume=hypervolume(every, corner_of(columns)),
    )


def worth_of(columns: Columns, rows: Mask) -> list[Worth]:
    """What the finished trials of ``rows`` (N,) reach at every reading, the model as it is first. O(R N log N)."""
    corner, found = corner_of(columns), []
    plains: dict[bytes, float] = {}
    for at in columns.readings:
        here = rows & columns.finished
        have = here & np.isfinite(columns.goals(at)).all(axis=1)
        points = columns.goals(at)[have]
        volume = hypervolume(columns.goals(at)[_front(columns, here, at)], corner)
        same = have.tobytes()
        if same not in plains:
            plains[same] = hypervolume(columns.goals(PLAIN)[_front(columns, have, PLAIN)], corner)
        plain = plains[same]
        signs = np.array([goal.sign for goal in columns.table.goals])
        best = signs * points.min(axis=0) if len(points) else np.full(len(signs), np.nan)
        cost = cost_of(columns, at)[here]
        cost = cost[np.isfinite(cost)]
        spent = float(cost.mean()) if len(cost) else np.nan
        found.append(Worth(at, len(points), volume, volume - plain, tuple(map(float, best)), spent))
    return found


def _cost(columns: Columns, at: At, kind: str) -> Numbers:
    if at.budget == 1:
        return np.full(len(columns), 1.0 if kind == "draws" else 0.0)
    told = columns.metric(kind, at)
    if kind != "draws":
        return told
    acceptance = columns.metric("acceptance", at)
    kept = np.where(acceptance > 0, acceptance, np.nan)
    read = np.array([at in trial.readings for trial in columns.trials], dtype=np.bool_)
    other = np.where(np.isfinite(kept), 1 / kept, np.where(read, at.budget, np.nan))
    return np.where(np.isfinite(told), told, other)


def _front(columns: Columns, rows: Mask, at: At) -> Codes:
    """Rows on the front of some rows (N,) at a reading; those of the last look are kept."""
    kept = columns.kept(("front of", at), dict[bytes, Codes])
    asked = rows.tobytes()
    if asked not in kept:
        if len(kept) >= MOST_KEPT:
            kept.clear()
        some = np.flatnonzero(rows)
        kept[asked] = some[front_mask(columns.goals(at)[some])]
    return kept[asked]
