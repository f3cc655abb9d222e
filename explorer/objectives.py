"""What a sweep strives for: metrics with a direction. Signs are normalised here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Objective", "minimised", "parse_objectives"]

Direction = Literal["max", "min"]


@dataclass(frozen=True)
class Objective:
    """A metric and the direction in which it improves."""

    metric: str
    direction: Direction

    @property
    def sign(self) -> float:
        """+1 if smaller is better, -1 if larger is better."""
        return 1.0 if self.direction == "min" else -1.0


def parse_objectives(raw: Mapping[str, str]) -> tuple[Objective, ...]:
    """``{"precision": "max", "fid": "min"}`` → objectives, in the order given."""
    objectives = []
    for metric, direction in raw.items():
        if direction not in ("max", "min"):
            raise ValueError(f"objective '{metric}' must be 'max' or 'min', got '{direction}'")
        objectives.append(Objective(metric, direction))  # type: ignore[arg-type]
    if not objectives:
        raise ValueError("a sweep needs at least one objective, for example precision: max")
    return tuple(objectives)


def minimised(objectives: Sequence[Objective], rows: Iterable[Mapping[str, float]]) -> NDArray[np.float64]:
    """Objective values of rows as an (N, M) array in which smaller is always better; absent is NaN."""
    values = [[o.sign * float(row.get(o.metric, np.nan)) for o in objectives] for row in rows]
    return np.asarray(values, dtype=np.float64).reshape(-1, len(objectives))
