"""The Fréchet distance of sets with fewer samples than dimensions, without a matrix (d, d).

With centred sets X (N, d) and Y (M, d) the covariances are XᵀX/(N-1) and YᵀY/(M-1), and the singular values of

    K = XYᵀ / √((N-1)(M-1)),   (N, M),

are the roots of the eigenvalues of their product: tr (Σ₁Σ₂)^{1/2} = ‖K‖_*, the nuclear norm. A matrix (d, d) has half
of its digits in the squares of these; here none is lost, and nothing is singular.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from trainables.measures.arrays import as_features, blocks, check_pair, column_mean
from trainables.measures.frechet import nuclear_norm_polar

__all__ = ["gram_distance"]

_UNIT = 2.0**-53


def gram_distance(x: Tensor | np.ndarray, y: Tensor | np.ndarray) -> float:
    """‖μ₁-μ₂‖² + tr Σ₁ + tr Σ₂ - 2‖K‖_* of ``x`` (N, d) and ``y`` (M, d), in float64.

    The last three terms cancel where the covariances agree; what is left of them then is rounding, and is cut off. So a
    set has the distance 0 to itself. O(N·M·(d + min(N, M))) time, O(min(N, M)·d + N·M) memory.
    """
    first, second = check_pair(as_features(x, "real features"), as_features(y, "fake features"))
    for features in (first, second):
        if len(features) < 2:
            raise ValueError("a covariance needs at least 2 samples, got 1; use more samples")
    if len(first) > len(second):
        first, second = second, first
    own, their = column_mean(first), column_mean(second)
    short = first.double() - own
    traces = float(short.square().sum()) / (len(first) - 1)
    parts = []
    for block in blocks(second):
        centred = block.sub_(their)
        parts.append(short @ centred.T)
        traces += float(centred.square().sum()) / (len(second) - 1)
    products = torch.cat(parts, dim=1) / ((len(first) - 1) * (len(second) - 1)) ** 0.5
    spread = traces - 2 * _nuclear_norm(products)
    rounding = 8 * max(products.shape) * _UNIT * traces
    return float((own - their).square().sum()) + (spread if spread > rounding else 0.0)


def _nuclear_norm(matrix: Tensor) -> float:
    """Σ_k s_k of (N, M); by products alone on a GPU."""
    if matrix.is_cuda:
        return float(nuclear_norm_polar(matrix))
    return float(torch.linalg.svdvals(matrix).sum())
