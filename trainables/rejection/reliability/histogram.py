"""Where log ratios of real and of generated points lie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trainables.rejection.reliability.bins import Numbers, Pooled

__all__ = ["Histogram", "histogram_of"]

COLUMNS = 40
OUTSIDE = 0.002
"""Share of points on either side that the histogram has in its outermost columns, wherever they lie."""


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts of log r; what lies beyond the outermost edges is in the outermost columns.

    Attributes:
        edges: (H+1,) of columns.
        real, fake: (H,) counts.
    """

    edges: Numbers
    real: NDArray[np.int64]
    fake: NDArray[np.int64]


def histogram_of(points: Pooled) -> Histogram:
    """Columns of one width over all points but some at either end, classes weighing alike. O(n)."""
    up_to = np.cumsum(points.weight)
    low, high = (
        float(points.log_ratio[np.searchsorted(up_to, up_to[-1] * share)]) for share in (OUTSIDE, 1 - OUTSIDE)
    )
    middle, half = (low + high) / 2, max((high - low) / 2, 0.5)
    edges = np.linspace(middle - half, middle + half, COLUMNS + 1)
    inside = np.clip(points.log_ratio, edges[0], edges[-1])
    real, fake = (np.histogram(inside[kind], edges)[0] for kind in (points.is_real, ~points.is_real))
    return Histogram(edges, real, fake)
