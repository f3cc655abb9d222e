"""Random numbers as a pure function of (seed, stream, step, position).

A trial draws the same numbers alone, in any pack, on any device and after any resume, because nothing is stateful:
every number is a hash of where it is used. The hash is the splitmix64 finaliser (Steele, Lea & Flood 2014) in wrapping
int64 arithmetic, which torch gives on CPU and CUDA alike; it can be captured in a CUDA graph and mapped by ``vmap``.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from enum import IntEnum

import torch
from torch import Tensor

__all__ = ["Noise", "Stream", "hashed_normals", "hashed_uniforms"]

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
    PENALTY = 8
    LABELS = 9
    FORWARD = 10
    LAM = 11
    REAL_LAM = 12
    DEQUANTISE = 13
    MOVE = 14


def _shift(x: Tensor, bits: int) -> Tensor:
    """Logical right shift of int64."""
    return (x >> bits) & ((1 << (64 - bits)) - 1)


def _mix(x: Tensor) -> Tensor:
    x = (x ^ _shift(x, 30)) * _MIX1
    x = (x ^ _shift(x, 27)) * _MIX2
    return x ^ _shift(x, 31)


def _pairs(key: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Two (…, count) tensors of uniforms in (0, 1] from keys (…)."""
    position = torch.arange(count, dtype=torch.int64, device=key.device)
    bits = _mix(key.unsqueeze(-1) + position * _GOLDEN)
    low, high = bits & 0xFFFFFFFF, _shift(bits, 32)
    return tuple((half.to(torch.float32) + 0.5) * 2.0**-32 for half in (low, high))  # type: ignore[return-value]


def _uniforms(key: Tensor, shape: tuple[int, ...], first: int | None = None) -> Tensor:
    pairs, asked = _asked(shape, first)
    low, high = _pairs(key, min(pairs, math.prod(asked)))
    return _laid(low, lambda: high, asked, key)


def _normals(key: Tensor, shape: tuple[int, ...], first: int | None = None) -> Tensor:
    pairs, asked = _asked(shape, first)
    radius_u, angle_u = _pairs(key, min(pairs, math.prod(asked)))
    radius = torch.sqrt(-2.0 * torch.log(radius_u))
    angle = (2 * math.pi) * angle_u
    return _laid(radius * torch.cos(angle), lambda: radius * torch.sin(angle), asked, key)


def _asked(shape: tuple[int, ...], first: int | None) -> tuple[int, tuple[int, ...]]:
    """How many pairs a shape stands on, and its part that is asked for."""
    return (math.prod(shape) + 1) // 2, shape if first is None else (min(first, shape[0]), *shape[1:])


def _laid(low: Tensor, high: Callable[[], Tensor], shape: tuple[int, ...], key: Tensor) -> Tensor:
    """A shape filled with one of every pair, then with the other: who asks for few needs but one of some pairs."""
    count = math.prod(shape)
    both = low if count <= low.shape[-1] else torch.cat((low, high()), dim=-1)
    return both[..., :count].reshape(*key.shape, *shape)


def hashed_uniforms(key: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Uniforms in (0, 1] of shape (*key.shape, *shape); equal keys give equal numbers."""
    return _uniforms(_mix(key), shape)


def hashed_normals(key: Tensor, shape: tuple[int, ...], first: int | None = None) -> Tensor:
    """Standard normals of shape (*key.shape, *shape), by Box-Muller; equal keys give equal numbers.

    ``first`` as for ``Noise``: so many of the leading dimension of the shape alone.
    """
    return _normals(_mix(key), shape, first)


class Noise:
    """Noise of T trials, one seed each; all draws have a leading trial dimension T."""

    def __init__(self, seeds: Tensor) -> None:
        self._base = _mix(seeds.to(torch.int64) * _GOLDEN + _MIX1)

    def of_rows(self, rows: Tensor) -> Noise:
        """That of some of the trials."""
        other = copy.copy(self)
        other._base = self._base[rows]
        return other

    def keys(self, stream: Stream, step: Tensor | int) -> Tensor:
        """(T,) 64 hashed bits of every trial."""
        return _mix(_mix(self._base ^ int(stream)) + step)

    def uniform(self, stream: Stream, step: Tensor | int, *shape: int, first: int | None = None) -> Tensor:
        """(T, *shape) uniforms in (0, 1]; or the ``first`` alone along the leading dimension, in O(first)."""
        return _uniforms(self.keys(stream, step), shape, first)

    def normal(self, stream: Stream, step: Tensor | int, *shape: int, first: int | None = None) -> Tensor:
        """(T, *shape) standard normals, by Box-Muller; ``first`` as for ``uniform``."""
        return _normals(self.keys(stream, step), shape, first)
