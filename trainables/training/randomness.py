"""Random numbers as a pure function of (seed, stream, step, position).

A trial draws the same numbers alone, in any pack, on any device and after any resume, because nothing is stateful:
every number is a hash of where it is used. The hash is the splitmix64 finaliser (Steele, Lea & Flood 2014) in wrapping
int64 arithmetic, which torch gives on CPU and CUDA alike; it can be captured in a CUDA graph.
"""

from __future__ import annotations

import math
from enum import IntEnum

import torch
from torch import Tensor

__all__ = ["Noise", "Stream"]

_GOLDEN = -7046029254386353131  # 0x9E3779B97F4A7C15 as int64
_MIX1 = -4658895280553007687  # 0xBF58476D1CE4E5B9
_MIX2 = -7723592293110705685  # 0x94D049BB133111EB


class Stream(IntEnum):
    """Uses of randomness that must not share numbers."""

    REAL = 1
    CRITIC_LATENT = 2
    GENERATOR_LATENT = 3
    POOL = 4
    ACCEPT = 5
    UNSEEN = 6
    LIKELIHOOD = 7


def _shift(x: Tensor, bits: int) -> Tensor:
    """Logical right shift of int64."""
    return (x >> bits) & ((1 << (64 - bits)) - 1)


def _mix(x: Tensor) -> Tensor:
    x = (x ^ _shift(x, 30)) * _MIX1
    x = (x ^ _shift(x, 27)) * _MIX2
    return x ^ _shift(x, 31)


class Noise:
    """Noise of T trials, one seed each; all draws have a leading trial dimension T."""

    def __init__(self, seeds: Tensor) -> None:
        self._base = _mix(seeds.to(torch.int64) * _GOLDEN + _MIX1)

    def _bits(self, stream: Stream, step: Tensor | int, count: int) -> Tensor:
        """(T, count) of 64 hashed bits."""
        key = _mix(_mix(self._base ^ int(stream)) + step)
        position = torch.arange(count, dtype=torch.int64, device=key.device)
        return _mix(key[:, None] + position * _GOLDEN)

    def _pairs(self, stream: Stream, step: Tensor | int, count: int) -> tuple[Tensor, Tensor]:
        """Two (T, ⌈count/2⌉) tensors of uniforms in (0, 1]."""
        bits = self._bits(stream, step, (count + 1) // 2)
        low, high = bits & 0xFFFFFFFF, _shift(bits, 32)
        return tuple((half.to(torch.float32) + 0.5) * 2.0**-32 for half in (low, high))  # type: ignore[return-value]

    def uniform(self, stream: Stream, step: Tensor | int, *shape: int) -> Tensor:
        """(T, *shape) uniforms in (0, 1]."""
        count = math.prod(shape)
        both = torch.cat(self._pairs(stream, step, count), dim=1)
        return both[:, :count].reshape(-1, *shape)

    def normal(self, stream: Stream, step: Tensor | int, *shape: int) -> Tensor:
        """(T, *shape) standard normals, by Box-Muller."""
        count = math.prod(shape)
        radius_u, angle_u = self._pairs(stream, step, count)
        radius = torch.sqrt(-2.0 * torch.log(radius_u))
        angle = (2 * math.pi) * angle_u
        both = torch.cat((radius * torch.cos(angle), radius * torch.sin(angle)), dim=1)
        return both[:, :count].reshape(-1, *shape)
