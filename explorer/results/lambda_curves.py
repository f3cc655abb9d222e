"""A metric against λ in one group: means over seeds where λ has levels, a smooth curve where it is continuous."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from explorer.results.audit import LambdaGroup
from explorer.results.columns import Columns
from explorer.results.lambda_columns import lambdas_of
from explorer.results.promise import MOST_LEVELS
from explorer.results.smooth import interval_of, smooth
from explorer.store.schema import At

__all__ = ["LambdaCurve", "lambda_curve", "rows_of"]

Numbers = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LambdaCurve:
    """What is drawn of a metric in a group.

    Attributes:
        rows: (n,) the trials of λ > 0 that have the metric.
        lambdas, values: (n,) theirs.
        x: (m,) the λ of the curve, ascending.
        y, low, high: (m,) the mean there and the ends of its 95 % interval, NaN where nothing tells it.
        counts: (m,) trials of each level; none of a smooth curve.
        is_smooth: whether λ is continuous, and the curve a local regression on log λ.
    """

    rows: Codes
    lambdas: Numbers
    values: Numbers
    x: Numbers
    y: Numbers
    low: Numbers
    high: Numbers
    counts: Codes
    is_smooth: bool

    @property
    def repeats(self) -> bool:
        """Whether some level has several trials."""
        return not self.is_smooth and len(self.rows) > len(self.x)


def rows_of(columns: Columns, group: LambdaGroup) -> Codes:
    """(n,) the rows of a group's trials."""
    return np.array([columns.row_of[identity] for identity in group.ids], dtype=np.int64)


def lambda_curve(columns: Columns, group: LambdaGroup, metric: str, at: At) -> LambdaCurve:
    """The curve of a metric at a reading; smooth if λ has more than ``MOST_LEVELS`` values. O(n log n)."""
    rows = rows_of(columns, group)
    lambdas, values = lambdas_of(columns)[rows], columns.metric(metric, at)[rows]
    sound = (lambdas > 0) & np.isfinite(values)
    rows, lambdas, values = rows[sound], lambdas[sound], values[sound]
    levels, which = np.unique(lambdas, return_inverse=True)
    if len(levels) > MOST_LEVELS and (found := smooth(np.log(lambdas), values)) is not None:
        none = np.empty(0, dtype=np.int64)
        return LambdaCurve(
            rows, lambdas, values, np.exp(found.x), found.y, found.low, found.high, none, is_smooth=True
        )
    ends = [interval_of(values[which == level]) for level in range(len(levels))]
    mean, low, high = np.array(ends, dtype=np.float64).reshape(len(levels), 3).T
    counts = np.bincount(which, minlength=len(levels))
    return LambdaCurve(rows, lambdas, values, levels, mean, low, high, counts, is_smooth=False)
