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
        for place, configuration in enumerate(map(int, chosen)):
            _, every = self._foretold(name, configuration, budgets)
            if len(every):
                found[place] = every.mean(axis=0)
        return found

    def residuals(self, name: str, chosen: Sequence[int] | Codes) -> list[Residual]:
        """Measured less predicted at every K, over the configurations chosen; empty where nothing is predicted.

        Of each configuration it is the mean over the seeds that have both.
        """
        apart = np.full((len(chosen), len(self.budgets)), np.nan)
        measured = [self.columns.metric(name, self.reading(budget)) for budget in self.budgets]
        for place, configuration in enumerate(map(int, chosen)):
            rows, every = self._foretold(name, configuration, self.budgets)
            for number, values in enumerate(measured):
                both = (values[rows] - every[:, number])[np.isfinite(values[rows])]
                apart[place, number] = both.mean() if len(both) else np.nan
        found = []
        for budget, column in zip(self.budgets, apart.T, strict=True):
            known = column[np.isfinite(column)]
            if len(known):
                largest = float(known[np.abs(known).argmax()])
                found.append(Residual(budget, float(known.mean()), largest, len(known)))
        return found

    def _foretold(self, name: str, configuration: int, budgets: Sequence[float]) -> tuple[Codes, Numbers]:
        """The rows (r,) of a configuration of which a metric is predicted, and (r, b) what it should be at budgets."""
        rows = self.members[self.which == configuration] if self.predicts(name) else self.members[:0]
        trials = self.columns.trials
        rows = rows[np.array([bool(trials[row].alphas) for row in rows], dtype=np.bool_)]
        if not len(rows):
            return rows, np.empty((0, len(budgets)))
        alphas = np.array([trials[row].alphas for row in rows])
        every = predict(name, budgets, alphas, self.columns.metric(name, PLAIN)[rows])
        known = np.isfinite(every).all(axis=1)
        return rows[known], every[known]

    def _mean(self, values: Numbers) -> Numbers:
        known = np.isfinite(values)
        sums = np.bincount(self.which[known], values[known], minlength=len(self))
        counts = np.bincount(self.which[known], minlength=len(self))
        return np.asarray(np.divide(sums, counts, out=np.full(len(self), np.nan), where=counts > 0))
