"""Log ratios of laws that are known, at points of both."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["gaussians"]


def gaussians(shift: float, count_real: int, count_fake: int, seed: int) -> tuple[Tensor, Tensor]:
    """log r of P = N(shift, 1) against Q = N(0, 1) at points (N,) of P and (M,) of Q."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count_real, generator=generator, dtype=torch.float64) + shift
    y = torch.randn(count_fake, generator=generator, dtype=torch.float64)
    return shift * x - shift**2 / 2, shift * y - shift**2 / 2
