"""Mode measures of points from a law whose modes are known (Dumoulin et al. 2017; Vérine 2024, 6.2.3)."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from trainables.sources.law import Modes

__all__ = ["ModeMeasures", "mode_measures"]

_HELD = 0.2
"""A mode is held if it gets at least this fraction of the mass it has in the data."""


@dataclass(frozen=True)
class ModeMeasures:
    """Shares in [0, 1].

    Attributes:
        quality: points within 3σ of some mode (the thesis' precision).
        modes_hit: modes with at least one point within 3σ (its recall; rises with the number of points).
        modes_held: modes with at least a fifth of their true mass within 3σ (does not).
    """

    quality: float
    modes_hit: float
    modes_held: float


def mode_measures(modes: Modes, count: int) -> ModeMeasures:
    """Measures of ``count`` points from how a law's modes look from them; O(count)."""
    counts = torch.bincount(modes.nearest[modes.near], minlength=len(modes.weights)).double()
    due = modes.weights.double() * count * (1 - 1e-9)  # a count that is due exactly is enough, rounding aside
    return ModeMeasures(
        quality=float(modes.near.double().mean()),
        modes_hit=float((counts > 0).double().mean()),
        modes_held=float((counts >= _HELD * due).double().mean()),
    )
