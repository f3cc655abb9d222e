"""Mode measures on mixtures whose modes are known (Dumoulin et al. 2017; Vérine 2024, 6.2.3)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from trainables.sources.mixtures import GaussianMixture

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


def mode_measures(law: GaussianMixture, x: Tensor) -> ModeMeasures:
    """Measures of points x (n, d); O(n·M) for M modes."""
    distance = torch.cdist(x.to(law.means), law.means)
    nearest, mode = distance.min(dim=1)
    near = nearest <= 3 * law.sigma
    counts = torch.bincount(mode[near], minlength=len(law.means)).double()
    due = law.weights.double() * len(x) * (1 - 1e-9)  # a count that is due exactly is enough, rounding aside
    return ModeMeasures(
        quality=float(near.double().mean()),
        modes_hit=float((counts > 0).double().mean()),
        modes_held=float((counts >= _HELD * due).double().mean()),
    )
