"""Calibrations that keep the shape of the score: as it is, moved, or moved and scaled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from torch import Tensor

from trainables.rejection.calibration import calibrate
from trainables.rejection.calibrations.calibration import Calibration, bounded, checked, log_mean_ratio
from trainables.rejection.obrs import LOG_EXTREME

__all__ = ["Normalised", "Slope", "Unchanged"]

_LARGEST = 1e150
"""What ±inf is read as before it is scaled: a slope of 0 makes 0 of it."""


@dataclass(frozen=True, eq=False)
class Unchanged(Calibration):
    """The score is log r."""

    name: ClassVar[str] = "none"

    @classmethod
    def fit(cls, real: Tensor, fake: Tensor) -> Self:
        """Nothing is fitted; scores that are none are refused all the same."""
        checked(real, fake)
        return cls()

    def log_ratio(self, scores: Tensor) -> Tensor:
        """The scores, inside ±``LOG_EXTREME``."""
        return bounded(scores, scores)


@dataclass(frozen=True, eq=False)
class Normalised(Calibration):
    """log r = s - log E_Q[e^s], so that E_Q[r] = 1 as of every ratio of densities.

    No budget depends on the offset (``obrs``). What compares r with 1 does.

    Attributes:
        offset: (T,) -log E_Q[e^s].
    """

    name: ClassVar[str] = "normalised"
    offset: Tensor

    @classmethod
    def fit(cls, real: Tensor, fake: Tensor) -> Self:
        """From the generated points alone. O(T·M)."""
        _, fake = checked(real, fake)
        return cls(-log_mean_ratio(fake.clamp(-LOG_EXTREME, LOG_EXTREME)))

    def check(self) -> None:
        """One number a trial."""
        super().check()
        _check_rows(self)

    def log_ratio(self, scores: Tensor) -> Tensor:
        """Scores that are moved; those beyond ±``LOG_EXTREME`` are read as that first."""
        inside = scores.double().clamp(-LOG_EXTREME, LOG_EXTREME)
        return bounded(inside + self.offset.unsqueeze(1), scores)


@dataclass(frozen=True, eq=False)
class Slope(Calibration):
    """log r = a·s + b with a ≥ 0, Platt scaling (``trainables/rejection/calibration.py``).

    Attributes:
        slope: (T,) a.
        offset: (T,) b.
    """

    name: ClassVar[str] = "slope"
    slope: Tensor
    offset: Tensor

    @classmethod
    def fit(cls, real: Tensor, fake: Tensor) -> Self:
        """By logistic regression in which each class weighs the same. O(T·(N+M)) a step of Newton's method."""
        return cls(*calibrate(*checked(real, fake)))

    def check(self) -> None:
        """One number a trial, and no slope that turns the order round."""
        super().check()
        _check_rows(self)
        if not bool((self.slope >= 0).all()):
            raise ValueError(f"the slope of a calibration must be ≥ 0, got {float(self.slope.min()):g}")

    def log_ratio(self, scores: Tensor) -> Tensor:
        """Scores that are scaled, then moved."""
        inside = scores.double().clamp(-_LARGEST, _LARGEST)
        return bounded(self.slope.unsqueeze(1) * inside + self.offset.unsqueeze(1), scores)


def _check_rows(calibration: Calibration) -> None:
    for name, values in calibration.tensors().items():
        if values.ndim != 1:
            raise ValueError(
                f"{name} of calibration {calibration.name!r} must be (T,), got {tuple(values.shape)}"
            )
