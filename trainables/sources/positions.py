"""Which samples of a finite set a draw takes: positions chosen with replacement, by hashed uniforms."""

from __future__ import annotations

import torch
from torch import Tensor

from trainables.randomness import Noise, Stream

__all__ = ["positions"]

COARSE = 1 << 20
"""Sets up to this size take float32 uniforms, whose 2^24 levels give every position at least 16."""

_LEVELS = 1 << 24


def positions(noise: Noise, stream: Stream, step: Tensor | int, count: int, size: int) -> Tensor:
    """(T, count) positions ⌊u · size⌋ in 0 … size - 1, a function of (seed, stream, step) alone.

    For sets larger than ``COARSE`` u has 48 bits, made of two uniforms in float64: with 24 bits positions beyond 2^24
    would be left out, and those before drawn unevenly.
    """
    if size <= COARSE:
        return (noise.uniform(stream, step, count) * size).long().clamp(max=size - 1)
    pair = noise.uniform(stream, step, count, 2).double()
    high = (pair[..., 0] * _LEVELS).floor().clamp(max=_LEVELS - 1)
    fine: Tensor = (high + pair[..., 1]) / _LEVELS
    return (fine * size).to(torch.int64).clamp(max=size - 1)
