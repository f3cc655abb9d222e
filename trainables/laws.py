"""Probability vectors, checked without torch so that a mistake is told at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["probabilities"]

SUM_TOLERANCE = 1e-6


def probabilities(values: Any, name: str = "p") -> NDArray[np.float64]:
    """A probability vector as float64, shape (N,); refuses negative entries and sums other than 1.

    Sums within 1e-6 of 1 are accepted and normalised, so that rounded decimals are laws.
    """
    law = np.asarray(values, dtype=np.float64)
    if law.ndim != 1 or law.size == 0:
        raise ValueError(f"{name} must be a list of probabilities, got shape {law.shape}")
    if not (law >= 0).all():
        worst = float(law[~(law >= 0)][0])
        raise ValueError(f"every probability of {name} must be ≥ 0, got {worst:g}; remove or correct it")
    total = float(law.sum())
    if not abs(total - 1.0) <= SUM_TOLERANCE:
        raise ValueError(
            f"the probabilities of {name} must sum to 1, got {total:.6g}; divide each by the sum"
        )
    normalised: NDArray[np.float64] = law / total
    return normalised
