"""Calibrations: from the scores of a critic to log ratios."""

from trainables.rejection.calibrations.affine import Normalised, Slope, Unchanged
from trainables.rejection.calibrations.by_name import CALIBRATIONS, calibration_named, read_calibration
from trainables.rejection.calibrations.calibration import Calibration
from trainables.rejection.calibrations.isotonic import Isotonic

__all__ = [
    "CALIBRATIONS",
    "Calibration",
    "Isotonic",
    "Normalised",
    "Slope",
    "Unchanged",
    "calibration_named",
    "read_calibration",
]
