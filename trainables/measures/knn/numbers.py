"""Numbers between products: arrays on a CPU, tensors elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

__all__ = ["Numbers", "joined", "numbers", "put"]

Numbers = np.ndarray | Tensor


def numbers(x: Numbers) -> Numbers:
    """What code between products reads: an array on a CPU.

    Every look at a tensor, be it a slice, lets go of the interpreter, and threads wait to have it back; arrays do so
    only for work that lasts.
    """
    return x.numpy() if isinstance(x, Tensor) and x.device.type == "cpu" else x


def put(place: Numbers, values: Numbers) -> None:
    """Write over numbers of an array, or of a tensor."""
    if isinstance(place, np.ndarray):
        place[...] = values
    else:
        place.copy_(torch.as_tensor(values))


def joined(parts: Sequence[Numbers]) -> Numbers:
    """Arrays, or tensors, one after the other."""
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return torch.cat([torch.as_tensor(part) for part in parts])
