"""The logarithm of the Wright omega function, y = log W(e^z): the conjugate of Jeffreys needs it."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["log_omega"]

_NEWTON_STEPS = 6


def log_omega(z: Tensor) -> Tensor:
    """The root y of e^y + y = z, that is log W(e^z) with W Lambert's function; any shape, no overflow.

    Newton's iteration on a convex increasing function. The root is found without a graph; two more steps
    with one give exact derivatives up to the third, since a Newton step doubles the order to which a
    constant start agrees with the root. Reference: Corless and Jeffrey, The Wright ω function, 2002.
    """
    target = z.detach()
    # e^y dominates above 1, y below: both starts are within 0.6 of the root.
    y = torch.where(target > 1, torch.log(target.clamp(min=1)), target - torch.exp(target.clamp(max=1)) / 2)
    for _ in range(_NEWTON_STEPS):
        y = _newton(y, target)
    return _newton(_newton(y, z), z)


def _newton(y: Tensor, z: Tensor) -> Tensor:
    e = torch.exp(y)
    return y - (e + y - z) / (1 + e)
