"""Chance: a chooser that knows nothing, and seeds that depend on all they are made of."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence

__all__ = ["Dice", "between", "seed_of"]


def seed_of(*words: object) -> int:
    """32 bits that depend on all words and look like none of them."""
    return int.from_bytes(hashlib.sha256(repr(words).encode()).digest()[:4], "big")


class Dice:
    """A chooser that knows nothing."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def choice(self, name: str, options: Sequence[str]) -> str:
        """Uniform."""
        return self._random.choice(list(options))

    def number(self, name: str, low: float, high: float, log: bool, whole: bool) -> float:
        """Uniform, or log-uniform."""
        if whole and not log:
            return float(self._random.randint(round(low), round(high)))
        return between(self._random.random(), low, high, log)


def between(share: float, low: float, high: float, log: bool) -> float:
    """The number a share of the way from low to high, or its logarithm is."""
    value = low * (high / low) ** share if log else low + share * (high - low)
    return float(min(max(value, low), high))
