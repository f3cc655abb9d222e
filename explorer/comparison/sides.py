"""Trials that are compared, of any sweeps: each with the sweep it is of, and a name that tells it from the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from explorer.results.columns import Columns, Mask
from explorer.results.naming import Naming
from explorer.results.table import Trial
from explorer.store.schema import PLAIN, At

__all__ = ["Side", "are_siblings", "is_end", "metric_names", "names_of", "seeds_of"]

MOST_METRICS = 12
"""Metrics that are compared unless others are asked for."""


@dataclass(frozen=True, eq=False)
class Side:
    """A trial beside others: its sweep by label, all trials of that sweep, its row there, its name among the others."""

    label: str
    columns: Columns
    row: int
    name: str

    @property
    def trial(self) -> Trial:
        """The trial itself."""
        return self.columns.trials[self.row]

    @property
    def configuration(self) -> tuple[str, int]:
        """What it shares with its seeds and with nothing else."""
        return self.label, int(self.columns.configurations[self.row])

    def reading(self, at: At) -> At:
        """The reading asked for, where the trial has it; else the model as it is."""
        return at if at in self.trial.readings else PLAIN


def names_of(found: Sequence[tuple[str, Columns, int]]) -> list[str]:
    """Names of (label, columns, row): of one sweep those that it has, of several what tells them apart and the sweep.

    Where that is the same for two, the identity is added.
    """
    trials = [columns.trials[row] for _, columns, row in found]
    if len({label for label, _, _ in found}) == 1:
        names = [columns.names[row] for _, columns, row in found]
    else:
        naming = Naming.of([trial.params for trial in trials])
        told = [naming.name(trial.params) or trial.id for trial in trials]
        names = [f"{label}: {name}" for (label, _, _), name in zip(found, told, strict=True)]
    often = Counter(names)
    return [
        f"{name} ({trial.id})" if often[name] > 1 else name for name, trial in zip(names, trials, strict=True)
    ]


def are_siblings(sides: Sequence[Side]) -> bool:
    """Whether two of them are seeds of one configuration, whose means would be the same."""
    return len({side.configuration for side in sides}) < len(sides)


def seeds_of(side: Side) -> Mask:
    """(N,) the finished trials of a side's configuration. O(N) for the N trials of its sweep."""
    columns = side.columns
    same: Mask = np.asarray(columns.configurations == columns.configurations[side.row])
    return same & columns.finished


def metric_names(sides: Sequence[tuple[Side, At]], most: int = MOST_METRICS) -> list[str]:
    """Goals of any of the sweeps first, then what else their trials have at their readings, as much as fits."""
    goals = [goal.metric for side, _ in sides for goal in side.columns.table.goals]
    shown = [name for side, at in sides for name in side.columns.table.headline_metrics(most, at)]
    measured = {name for side, at in sides for name in side.trial.at(at)}
    return [name for name in dict.fromkeys([*goals, *shown]) if name in measured and not is_end(name)][:most]


def is_end(name: str) -> bool:
    """Whether it is the end of an interval, which its metric has beside it."""
    return name.endswith((".low", ".high"))
