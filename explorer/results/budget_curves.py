"""Configurations as curves in the budget K: the mean over seeds of each metric at every K, and what theory predicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from explorer.results.columns import Columns
from explorer.results.predicted import LAWFUL, can_predict, predict
from explorer.store.schema import PLAIN, At

__all__ = ["BudgetCurves", "Residual"]

Numbers = NDArray[np.float64]
Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Residual:
    """Measured less predicted at one K: mean and largest distance over so many configurations."""

    budget: float
    mean: float
    largest: float
    count: int


@dataclass(frozen=True, eq=False)
class BudgetCurves:
    """C configurations among some finished rows of a table, read through one method.

    Attributes:
        columns: the table.
        method: the refinement.
        budgets: (k,) every K at which some trial was read through it, 1 first.
        members: (n,) the rows that take part.
        which: (n,) which configuration each is of, 0 … C - 1.
        first: (C,) the first row of every configuration, which stands for it.
    """

    columns: Columns
    method: str
    budgets: tuple[float, ...]
    members: Codes
    which: Codes
    first: Codes

    @classmethod
    def of(cls, columns: Columns, rows: Mask, method: str) -> BudgetCurves:
        """The configurations of the finished trials among ``rows`` (N,). O(N log N)."""
        members = np.flatnonzero(rows & columns.finished)
        _, first, which = np.unique(columns.configurations[members], return_index=True, return_inverse=True)
        return cls(columns, method, columns.budgets(method), members, which.astype(np.int64), members[first])

    def __len__(self) -> int:
        return len(self.first)

    def reading(self, budget: float) -> At:
        """The reading at a budget."""
        return PLAIN if budget == 1 else At(self.method, budget)

    def at(self, name: str, at: At) -> Numbers:
        """(C,) mean of a metric at a reading, or of a parameter, over the seeds that have it; NaN if none has. O(n)."""
        return self._mean(self.columns.numbers(name, at)[self.members])

    def values(self, name: str) -> Numbers:
        """(C, k) the same at every budget. O(n k)."""
        return np.stack([self.at(name, self.reading(budget)) for budget in self.budgets], axis=1)

    def goals(self, at: At) -> Numbers:
        """(C, M) the sweep's objectives at a reading, smaller always better."""
        goals = self.columns.table.goals
        found = [goal.sign * self.at(goal.metric, at) for goal in goals]
        return np.stack(found, axis=1) if found else np.empty((len(self), 0))

    def seeds(self) -> Codes:
        """(C,) how many trials each configuration has here."""
        return np.bincount(self.which, minlength=len(self)).astype(np.int64)

    def holding(self, row: int | None) -> int | None:
        """Which configuration a row of the table belongs to, if it takes part."""
        if row is None:
            return None
        found = np.flatnonzero(self.members == row)
        return int(self.which[found[0]]) if len(found) else None

    def predicts(self, name: str) -> bool:
        """Whether theory says something of a metric through this method: the optimal acceptance is the law of one."""
        return self.method == LAWFUL and can_predict(name)

    def predicted(self, name: str, chosen: Sequence[int] | Codes, budgets: Sequence[float]) -> Numbers:
        """(c, b) what a metric of some configurations should be at budgets, as a mean over the seeds whose PR curve is
        known; NaN where none is, or where ``predicts`` says no. O(trials chosen · b).
        """
        found = np.full((len(chosen), len(budgets)), np.nan)
        if not self.predicts(name):
            return found
        trials, measured = self.columns.trials, self.columns.metric(name, PLAIN)
        for place, configuration in enumerate(chosen):
            rows = [row for row in self.members[self.which == configuration] if trials[row].alphas]
            if rows:
                alphas = np.array([trials[row].alphas for row in rows])
                every = predict(name, budgets, alphas, measured[rows])
                every = every[np.isfinite(every).all(axis=1)]
                found[place] = every.mean(axis=0) if len(every) else np.nan
        return found

    def residuals(self, name: str, chosen: Sequence[int] | Codes) -> list[Residual]:
        """Measured less predicted at every K, over the configurations chosen; empty where nothing is predicted."""
        if not self.predicts(name):
            return []
        apart = self.values(name)[list(chosen)] - self.predicted(name, chosen, self.budgets)
        found = []
        for budget, column in zip(self.budgets, apart.T, strict=True):
            known = column[np.isfinite(column)]
            if len(known):
                largest = float(known[np.abs(known).argmax()])
                found.append(Residual(budget, float(known.mean()), largest, len(known)))
        return found

    def _mean(self, values: Numbers) -> Numbers:
        known = np.isfinite(values)
        sums = np.bincount(self.which[known], values[known], minlength=len(self))
        counts = np.bincount(self.which[known], minlength=len(self))
        return np.asarray(np.divide(sums, counts, out=np.full(len(self), np.nan), where=counts > 0))
