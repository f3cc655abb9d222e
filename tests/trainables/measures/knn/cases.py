"""Sets that are hard for a neighbour search, and distances by brute force."""

from __future__ import annotations

import numpy as np

__all__ = ["KINDS", "brute", "case"]

KINDS = ["normal", "grid", "copies", "outlier", "offset", "tiny", "huge", "constant"]


def brute(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """All distances from differences in float64, (n, d) and (m, d) → (n, m)."""
    return np.sqrt(np.square(x[:, None].astype(np.float64) - y[None].astype(np.float64)).sum(-1))


def case(kind: str, n: int, d: int, seed: int) -> np.ndarray:
    """n samples in d dimensions of one of the kinds."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    if kind == "grid":  # many exact ties
        x = rng.integers(0, 3, size=(n, d)).astype(float)
    elif kind == "copies":
        x = x[rng.integers(0, max(2, n // 6), size=n)]
    elif kind == "outlier":  # one far point makes every float32 product useless
        x[0] = 1e6
    elif kind == "offset":
        x = x + 1e4
    elif kind == "tiny":
        x = x * 1e-25
    elif kind == "huge":
        x = x * 1e25
    elif kind == "constant":
        x = np.full((n, d), 0.1)
    return x
