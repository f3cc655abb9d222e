"""What a sweep strives for: metrics with a direction. Signs are normalised here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_GOALS", "USUAL_GOALS", "Goal", "minimised", "parse_goals"]

Direction = Literal["max", "min"]

USUAL_GOALS: Mapping[str, str] = {"precision": "max", "recall": "max", "fid": "min"}
"""What a sweep strives for unless it says otherwise."""


MOST_GOALS = 8
"""The time that a hypervolume takes grows as N^(M-2) with M objectives: beyond these hardly any front has one."""


@dataclass(frozen=True)
class Goal:
    """A metric and the direction in which it improves."""

    metric: str
    direction: Direction

    @property
    def sign(self) -> float:
        """+1 if smaller is better, -1 if larger is better."""
        return 1.0 if self.direction == "min" else -1.0


def parse_goals(raw: Mapping[str, str]) -> tuple[Goal, ...]:
    """``{"precision": "max", "fid": "min"}`` → goals, in the order given."""
    goals = []
    for metric, direction in raw.items():
        if not isinstance(direction, str) or direction not in ("max", "min"):
            raise ValueError(f"objective '{metric}' must be 'max' or 'min', got '{direction}'")
        goals.append(Goal(metric, direction))  # type: ignore[arg-type]
    if len(goals) > MOST_GOALS:
        raise ValueError(f"a sweep strives for at most {MOST_GOALS} objectives, got {len(goals)}")
    if not goals:
        raise ValueError("a sweep needs at least one objective, for example precision: max")
    return tuple(goals)


def minimised(goals: Sequence[Goal], rows: Iterable[Mapping[str, float]]) -> NDArray[np.float64]:
    """Goal values of rows as an (N, M) array in which smaller is always better; absent is NaN."""
    values = [[o.sign * float(row.get(o.metric, np.nan)) for o in goals] for row in rows]
    return np.asarray(values, dtype=np.float64).reshape(-1, len(goals))
