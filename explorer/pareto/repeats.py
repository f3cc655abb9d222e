"""Seeds as repeats: what a point of the space gives on average, and how far it strays."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from explorer.results.table import Scalar, Trial, TrialTable
from explorer.store.schema import PLAIN, At

__all__ = ["Repeat", "repeats"]


@dataclass(frozen=True)
class Repeat:
    """The finished trials of one point of the space.

    Attributes:
        params: the point: everything but the seed.
        trials: identities of its trials.
        mean: mean of each metric over the trials that have it.
        std: its standard deviation with n - 1 in the denominator; NaN for a single value.
    """

    params: Mapping[str, Scalar]
    trials: tuple[str, ...]
    mean: Mapping[str, float]
    std: Mapping[str, float]

    @property
    def n(self) -> int:
        """Number of repeats."""
        return len(self.trials)


def repeats(table: TrialTable, at: At = PLAIN) -> list[Repeat]:
    """Group the finished trials by point, in the table's order, at one reading."""
    groups: dict[tuple[tuple[str, Scalar], ...], list[Trial]] = {}
    for trial in table.finished():
        groups.setdefault(trial.point(), []).append(trial)
    return [_repeat(dict(point), trials, at) for point, trials in groups.items()]


def _repeat(params: Mapping[str, Scalar], trials: list[Trial], at: At) -> Repeat:
    values: dict[str, list[float]] = {}
    for trial in trials:
        for name, value in trial.at(at).items():
            values.setdefault(name, []).append(value)
    return Repeat(
        params=params,
        trials=tuple(trial.id for trial in trials),
        mean={name: float(np.mean(v)) for name, v in values.items()},
        std={name: float(np.std(v, ddof=1)) if len(v) > 1 else math.nan for name, v in values.items()},
    )
