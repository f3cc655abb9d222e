"""Grids of trade-offs λ."""

from __future__ import annotations

import math

import torch
from torch import Tensor

__all__ = ["equiangular_grid", "geometric_grid"]


def equiangular_grid(n: int) -> Tensor:
    """λ_i = tan(θ_i) with θ_i = (π/2) i/(n+1), i = 1…n: rays of equal angle through the unit square.

    The rays of the curve's points (α_λ, β_λ) are β = α/λ, so equal angles spread the points evenly. The
    grid is its own mirror image, λ_{n+1-i} = 1/λ_i exactly, which is what swapping P and Q does to λ; an
    odd n has λ = 1.

    Returns:
        λ, float64, shape (n,), rising.

    Reference: Sajjadi et al. 2018, §3.2; thesis, §4.1.
    """
    if n < 1:
        raise ValueError(f"an equiangular grid needs n ≥ 1 points, got {n}; use an odd n to have λ=1 on it")
    angles = torch.arange(1, n // 2 + 1, dtype=torch.float64) * (math.pi / 2 / (n + 1))
    lower = angles.tan()
    middle = torch.ones(n % 2, dtype=torch.float64)
    return torch.cat([lower, middle, 1.0 / lower.flip(0)])


def geometric_grid(decades: int = 3, per_decade: int = 20) -> Tensor:
    """λ = 10^(i/n) for n a decade, from 10^-decades to 10^decades: what a sweep of λ asks for, float64, rising."""
    reach = decades * per_decade
    return torch.tensor([10 ** (i / per_decade) for i in range(-reach, reach + 1)], dtype=torch.float64)
