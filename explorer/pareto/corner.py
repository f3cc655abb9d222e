"""The worst corner of a sweep, up to which its hypervolumes are measured."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from explorer.goals import minimised
from explorer.pareto.ranking import reference_point
from explorer.results.columns import Columns

__all__ = ["corner_of"]


def corner_of(columns: Columns) -> NDArray[np.float64]:
    """(M,) ``reference_point`` of the table, smaller always better; found once, O(trials · readings)."""
    table = columns.table
    return columns.kept("corner", lambda: minimised(table.goals, [reference_point(table)])[0])
