"""The front along one metric: its configurations in order, and the gaps between them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from explorer.pareto.dominance import front_mask
from explorer.results.budget_curves import BudgetCurves
from explorer.results.columns import Columns
from explorer.store.schema import PLAIN, At

__all__ = ["FrontLine", "front_line"]

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class FrontLine:
    """Configurations by growing value of a metric, as means over seeds.

    Attributes:
        along: the metric.
        values: of every configuration that has one.
        rows: of the table, a trial of each.
        front: which of them are on the front of the sweep's objectives.
    """

    along: str
    values: tuple[float, ...]
    rows: tuple[int, ...]
    front: tuple[bool, ...]

    @property
    def on_front(self) -> tuple[float, ...]:
        """Values along the front."""
        return tuple(value for value, on in zip(self.values, self.front, strict=True) if on)

    def gaps(self) -> list[tuple[float, float]]:
        """Neighbours on the front that differ, those farthest apart first. O(front · log front)."""
        pairs = [(low, high) for low, high in pairwise(self.on_front) if high > low]
        return sorted(pairs, key=lambda pair: pair[0] - pair[1])


def front_line(columns: Columns, along: str, at: At = PLAIN, rows: Mask | None = None) -> FrontLine:
    """The finished configurations of a table, or of some ``rows`` (N,), along a metric at a reading. O(N log N).

    Trials at which others begin take no part: a follow-up sweep does not vary them.
    """
    taking = columns.kept("no bases", lambda: _no_bases(columns))
    kept = taking if rows is None else taking & rows
    curves = BudgetCurves.of(columns, kept, at.method)
    values = curves.at(along, at)
    front = front_mask(curves.goals(at))
    order = [int(c) for c in np.argsort(values, kind="stable") if np.isfinite(values[c])]
    return FrontLine(
        along,
        tuple(float(values[c]) for c in order),
        tuple(int(curves.first[c]) for c in order),
        tuple(bool(front[c]) for c in order),
    )


def _no_bases(columns: Columns) -> Mask:
    bases = columns.table.bases()
    return np.array([trial.id not in bases for trial in columns.trials], dtype=np.bool_)
