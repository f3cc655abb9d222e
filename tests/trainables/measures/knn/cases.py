"""Sets that are hard for a neighbour search, and distances by brute force."""

from __future__ import annotations

import numpy as np
from torch import Tensor

from trainables.measures.knn.cut import Cut
from trainables.measures.knn.membership import Membership, dense_membership
from trainables.measures.knn.products import Points

__all__ = ["KINDS", "brute", "case", "membership_of"]

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


def membership_of(
    real: Tensor, fake: Tensor, real_radii: Tensor, fake_radii: Tensor, strict: bool
) -> Membership:
    """Counts by the dense engine from radii that are given."""
    y, x = Points.together(fake, real)
    return dense_membership(x, Cut.of(y), real_radii, fake_radii, strict)
