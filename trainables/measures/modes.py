"""Mode measures of points from a law whose modes are known (Dumoulin et al. 2017; Vérine 2024, 6.2.3)."""

from __future__ import annotations

import torch
from torch import Tensor

from trainables.sources.law import Modes

__all__ = ["mode_shares"]

_HELD = 0.2
"""A mode is held if it gets at least this fraction of the mass it has in the data."""


def mode_shares(modes: Modes, sets: int) -> dict[str, Tensor]:
    """Shares in [0, 1] of so many sets of equal size, one after the other in ``modes``: (sets,) each; O(points).

    - ``quality``: points within 3σ of some mode (the thesis' precision);
    - ``modes_hit``: modes with at least one point within 3σ (its recall; rises with the number of points);
    - ``modes_held``: modes with at least a fifth of their true mass within 3σ (does not).
    """
    near, nearest = modes.near.view(sets, -1), modes.nearest.view(sets, -1)
    kinds = len(modes.weights)
    which = nearest + kinds * torch.arange(sets, device=nearest.device)[:, None]
    counts = torch.bincount(which[near], minlength=sets * kinds).view(sets, kinds).double()
    # A count that is due exactly is enough, rounding aside.
    due = modes.weights.to(counts) * near.shape[1] * (1 - 1e-9)
    return {
        "quality": near.double().mean(1),
        "modes_hit": (counts > 0).double().mean(1),
        "modes_held": (counts >= _HELD * due).double().mean(1),
    }
