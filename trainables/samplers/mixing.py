"""Whether a network treats every sample by itself; it is tried, since no network tells."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

__all__ = ["differ", "mixes"]


def mixes(passed: Callable[[int], Sequence[Tensor]], few: int) -> bool:
    """Whether the first ``few`` rows of what becomes of n samples, ``passed(n)``, depend on the samples after them.

    So they do by statistics of a batch, and by random numbers of the network's own.
    """
    return any(differ(x[:few], y[:few]) for x, y in zip(passed(few), passed(2 * few), strict=True))


def differ(x: Tensor, y: Tensor) -> bool:
    """By more than the order in which sums are made may change."""
    size = float(y.detach().abs().nan_to_num(nan=0.0, posinf=0.0).max())
    return not torch.allclose(x, y, rtol=1e-3, atol=1e-3 * size, equal_nan=True)
