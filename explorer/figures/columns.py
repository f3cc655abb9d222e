"""Columns of a table of trials: a metric at one reading, or a parameter by its dotted path."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from explorer.goals import Direction
from explorer.results.table import Scalar, Trial, TrialTable
from explorer.store.schema import PLAIN, At

__all__ = ["Column", "colour_names", "column", "direction_of", "log_axis", "numeric_names", "score"]

LOG_RATIO = 20.0
"""Positive values that span more than this factor are spread on a logarithmic scale."""
LEAST_LEVEL, MOST_LEVEL = -323.3, 308.25
"""Exponents of ten between which all floats lie."""
MOST_TICKS = 16
"""Decades that have a tick each."""


@dataclass(frozen=True)
class Column:
    """One value per trial, in the table's order; an absent value is None.

    Attributes:
        name: metric name or dotted path.
        title: what a reader sees.
        values: floats if ``numeric``, else strings.
        numeric: whether it can be an axis.
        log: whether a logarithmic scale suits it.
        direction: where better lies, if that is known.
    """

    name: str
    title: str
    values: tuple[float | str | None, ...]
    numeric: bool
    log: bool
    direction: Direction | None

    def level(self, value: float) -> float:
        """Where a value lies on the column's own scale."""
        return math.log10(value) if self.log else value

    def value_at(self, level: float) -> float:
        """The value at a place of the scale; the inverse of ``level``."""
        return 10.0 ** min(level, MOST_LEVEL) if self.log else level

    def numbers(self) -> list[float]:
        """The values as floats, absent ones as NaN."""
        return [v if isinstance(v, float) else math.nan for v in self.values]


def log_axis(decades: float) -> dict[str, Any]:
    """A logarithmic axis over so many decades: a tick at each while they are few, else at every second, third, …"""
    step = max(1, math.ceil(decades / MOST_TICKS))
    return {"type": "log", "dtick": step, "tickformat": "~g"}


def score(value: float | None) -> str:
    """A metric for a column of a table: three decimals, so that columns align; two from 100 on."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{value:.3f}" if abs(value) < 100 else f"{value:.2f}"


def direction_of(table: TrialTable, name: str) -> Direction | None:
    """Where better lies: as the sweep's objectives say, else as its catalogue does."""
    declared = {goal.metric: goal.direction for goal in table.goals}
    return declared.get(name, table.catalogue.direction(name))


def column(table: TrialTable, name: str, at: At = PLAIN) -> Column:
    """The column of a metric at a reading, or of a parameter; metrics win where a name is both."""
    direction = direction_of(table, name)
    raw = [_read(trial, name, at) for trial in table]
    present = [v for v in raw if v is not None]
    numeric = bool(present) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in present)
    if not numeric:
        words = tuple(None if v is None else str(v) for v in raw)
        return Column(name, table.title(name), words, numeric=False, log=False, direction=direction)
    floats = tuple(_finite(v) for v in raw)
    log = direction != "max" and _is_wide([v for v in floats if v is not None])
    return Column(name, table.title(name), floats, numeric=True, log=log, direction=direction)


def numeric_names(table: TrialTable, at: At = PLAIN) -> list[str]:
    """Columns that can be an axis at a reading: what it measured, then the varying numeric parameters.

    Diagnostics exist where training was looked at, not at every budget: they are offered where some trial has them.
    """
    return [
        *table.metric_names(at),
        *(p for p in table.varying() if p != "seed" and column(table, p).numeric),
    ]


def colour_names(table: TrialTable, at: At = PLAIN) -> list[str]:
    """Columns that can be a colour at a reading: what it measured, then the varying parameters."""
    return [*table.metric_names(at), *(p for p in table.varying() if p != "seed")]


def _read(trial: Trial, name: str, at: At) -> Scalar:
    metrics = trial.at(at)
    return metrics[name] if name in metrics else trial.params.get(name)


def _finite(value: Scalar) -> float | None:
    if isinstance(value, int | float) and math.isfinite(value):
        return float(value)
    return None


def _is_wide(values: Sequence[float] | Iterable[float]) -> bool:
    values = list(values)
    return bool(values) and min(values) > 0 and max(values) / min(values) > LOG_RATIO
