"""The kernel distance KID: an unbiased estimate of a squared maximum mean discrepancy.

Bińkowski et al., *Demystifying MMD GANs*, 2018; kernel k(x, y) = (⟨x, y⟩/d + 1)³.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from trainables.measures.arrays import as_features, check_pair

__all__ = ["kernel_distance", "kernel_distance_blocks"]


def kernel_distance(real: Tensor | np.ndarray, fake: Tensor | np.ndarray) -> float:
    """Unbiased MMD² of two whole sets (n, d) and (m, d); may be slightly negative when they agree.

    1/(n(n-1)) Σ_{i≠j} k(x_i, x_j) + 1/(m(m-1)) Σ_{i≠j} k(y_i, y_j) - 2/(nm) Σ k(x_i, y_j)   (Bińkowski eq. 4)
    """
    x, y = check_pair(as_features(real, "real features"), as_features(fake, "fake features"))
    if min(len(x), len(y)) < 2:
        raise ValueError(f"KID needs at least 2 samples in each set, got {len(x)} real and {len(y)} fake")
    within = _kernel_mean(x, x, same=True) + _kernel_mean(y, y, same=True)
    distance = float(within - 2 * _kernel_mean(x, y, same=False))
    if not math.isfinite(distance):
        raise ValueError("the cubic kernel of KID overflows float64 on these features; rescale them")
    return distance


def kernel_distance_blocks(
    real: Tensor | np.ndarray,
    fake: Tensor | np.ndarray,
    size: int = 1000,
    seed: int = 0,
    subsets: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> np.ndarray:
    """Unbiased MMD² of pairs of subsets; KID is their mean, and their spread its uncertainty → (blocks,).

    By default the shuffled sets are cut into disjoint blocks: independent values, so resampling them is an
    honest bootstrap, and to first order no less precise than using all pairs. Blocks hold ``size`` samples, or
    a tenth of the smaller set if that is less. With ``subsets`` given, that many overlapping random subsets of
    ``size`` are drawn instead, the convention of published KIDs (100 of 1000).
    """
    x, y = check_pair(as_features(real, "real features"), as_features(fake, "fake features"))
    smaller = min(len(x), len(y))
    if smaller < 4:
        raise ValueError(f"KID needs at least 4 samples in each set, got {len(x)} real and {len(y)} fake")
    rng = np.random.default_rng(seed)
    if subsets is None:
        size = max(2, min(size, smaller // 10))
        order_x, order_y = rng.permutation(len(x)), rng.permutation(len(y))
        cuts = range(0, smaller - size + 1, size)
        parts = [(order_x[start : start + size], order_y[start : start + size]) for start in cuts]
    else:
        if size > smaller:
            raise ValueError(
                f"subsets of {size} need as many samples in each set, got {len(x)} real and {len(y)} fake; "
                "use smaller subsets or more samples"
            )
        parts = [
            (rng.choice(len(x), size, replace=False), rng.choice(len(y), size, replace=False))
            for _ in range(subsets)
        ]
    values = []
    for done, (i, j) in enumerate(parts, start=1):
        values.append(kernel_distance(x[torch.from_numpy(i)], y[torch.from_numpy(j)]))
        if progress is not None:
            progress(done, len(parts))
    return np.array(values)


def _kernel_mean(x: Tensor, y: Tensor, same: bool, step: int = 1024) -> Tensor:
    """Mean of k over all pairs, those of a sample with itself left out when ``same``; in blocks, in float64."""
    d = x.shape[1]
    total = torch.zeros((), dtype=torch.float64, device=x.device)
    for start in range(0, len(x), step):
        rows = x[start : start + step].double()
        for first in range(0, len(y), step):
            total += (rows @ y[first : first + step].double().T).div_(d).add_(1.0).pow_(3).sum()
        if same:
            total -= rows.square().sum(dim=1).div_(d).add_(1.0).pow_(3).sum()
    return total / (len(x) * (len(y) - 1 if same else len(y)))
