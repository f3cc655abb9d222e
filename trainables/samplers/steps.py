"""How many draws belong together, and how many of them pass through networks at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator

__all__ = ["BLOCK", "IMAGES", "LEAST", "block_of", "parts", "step_of"]

BLOCK = 2048
"""Draws whose random numbers belong together, as in evaluations."""
NUMBERS = 1 << 18
"""Numbers in samples that pass through the networks at a time: a slow model has made them in a second too."""
IMAGES, LEAST = 256, 16
"""How many images do so at most, and samples of any size at least."""

HELD = 1 << 28
"""Numbers in the samples of a block, which are in memory together: a gigabyte."""


def block_of(shape: tuple[int, ...]) -> int:
    """How many samples of a shape make a block: ``BLOCK``, fewer where they are large (3×256×256 or more)."""
    return max(1, min(BLOCK, HELD // math.prod(shape)))


def step_of(shape: tuple[int, ...]) -> int:
    """How many samples of a shape pass through the networks at a time: of images few, whose networks are deep."""
    return min(BLOCK if len(shape) == 1 else IMAGES, max(LEAST, NUMBERS // math.prod(shape)))


def parts(count: int, step: int) -> Iterator[slice]:
    """Places 0 … count - 1, ``step`` at a time; one empty part of none, so that there is something to join."""
    for start in range(0, max(count, 1), step):
        yield slice(start, min(start + step, count))
