"""The calibrations by the names that files have; the first trusts the score, the last its order alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from trainables.rejection.calibrations.affine import Normalised, Slope, Unchanged
from trainables.rejection.calibrations.calibration import Calibration
from trainables.rejection.calibrations.isotonic import Isotonic

__all__ = ["CALIBRATIONS", "calibration_named", "read_calibration"]

CALIBRATIONS: Mapping[str, type[Calibration]] = {
    kind.name: kind for kind in (Unchanged, Normalised, Slope, Isotonic)
}


def calibration_named(name: str) -> type[Calibration]:
    """The calibration of that name; ValueError that names those there are."""
    if name not in CALIBRATIONS:
        raise ValueError(f"calibration must be one of {', '.join(CALIBRATIONS)}, got {name!r}")
    return CALIBRATIONS[name]


def read_calibration(told: Mapping[str, Any], device: torch.device | str = "cpu") -> Calibration:
    """What ``Calibration.plain`` gave, as a file has kept it; ValueError if it is no calibration."""
    return calibration_named(str(told.get("name"))).read(told, device)
