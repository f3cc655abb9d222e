"""What a trial's own draws tell of the ratio its critic stands for: all that a budget's constant needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

__all__ = ["MOST_RATIOS", "Ratios"]

MOST_RATIOS = 8192
"""Draws that are remembered: a share of 1/2 among them is known to within 0.006."""


@dataclass(frozen=True, eq=False)
class Ratios:
    """The critic's word on draws of the model as it is.

    Attributes:
        scale: what the objective's log r̂ is multiplied by: the correction of the objective times the slope of the
            calibration.
        values: (N,) log r, calibrated but for a constant, of which no budget depends.
        classes: (N,) of these draws, where samples are made for a class.
    """

    scale: float
    values: NDArray[Any]
    classes: NDArray[Any] | None = None
