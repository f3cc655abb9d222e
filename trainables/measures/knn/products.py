"""Squared distances as float32 matrix products with a bound on their error.

For rows x_i, y_j moved to a common origin and scaled by a power of two, one float32 product gives

    A_ij = ‖x_i‖² + ‖y_j‖² - 2⟨x_i, y_j⟩,     |A_ij - ‖x_i - y_j‖²| ≤ C (‖x_i‖² + ‖y_j‖²),

whatever the order of summation, with C = γ_{d+16}, γ_n = nu/(1-nu), u = 2⁻²⁴. (Higham, *Accuracy and Stability
of Numerical Algorithms*, §3.1: |fl⟨x,y⟩ - ⟨x,y⟩| ≤ γ_d ‖x‖‖y‖, and 2‖x‖‖y‖ ≤ ‖x‖² + ‖y‖²; the other 16 u
pay for moving, scaling and adding.) The bound separates into a part of the row and a part of the column, so
both ends of the interval cost one addition each. What the interval leaves open is settled by
:func:`exact_distances`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from trainables.measures.arrays import blocks, column_mean

__all__ = ["FLOOR", "Points", "exact_distances", "full_float32", "lower_bounds", "tiles"]

_EXACT_ROWS = 1024  # pairs at a time; always padded to this on CUDA, so the order of summation never varies
_UNIT = 2.0**-24
FLOOR = 2.0**-120  # squares of scaled coordinates below this may underflow in float32


@contextmanager
def full_float32() -> Iterator[None]:
    """Keep float32 products in float32 (neither TF32 nor bfloat16), whatever the caller has allowed."""
    settings: Any = torch.backends
    backends = (settings.cuda.matmul, settings.mkldnn.matmul)
    before = [backend.fp32_precision for backend in backends]
    for backend in backends:
        backend.fp32_precision = "ieee"
    try:
        yield
    finally:
        for backend, precision in zip(backends, before, strict=True):
            backend.fp32_precision = precision


class Points:
    """Rows of a feature array (N, d) seen from an origin and scaled, panel by panel, in float32.

    - ``norms`` (N,) float64: ‖x_i‖² after moving and scaling, at most 1;
    - ``scale``: the power of two that was divided out;
    - ``slack``: C of the error bound.
    """

    def __init__(self, features: Tensor, origin: Tensor, norms: Tensor, scale: float) -> None:
        self.features = features
        self.origin = origin
        self.scale = scale
        self.norms = norms / scale**2
        terms = (features.shape[1] + 16) * _UNIT
        self.slack = terms / (1 - terms)

    @classmethod
    def together(cls, *sets: Tensor) -> list[Points]:
        """Several sets from one origin (the mean of the first) with one scale."""
        origin = column_mean(sets[0]).to(sets[0])
        wide = origin.double()
        norms = [torch.cat([block.sub_(wide).square_().sum(dim=1) for block in blocks(x)]) for x in sets]
        largest = max(float(part.amax()) for part in norms)
        if not math.isfinite(largest):
            raise ValueError("squared distances of the features overflow float64; rescale the features")
        scale = 2.0 ** math.ceil(math.log2(largest) / 2) if largest > 0 else 1.0
        return [cls(x, origin, part, scale) for x, part in zip(sets, norms, strict=True)]

    def __len__(self) -> int:
        return len(self.features)

    def panel(self, start: int, stop: int, factor: float = 1.0) -> Tensor:
        """Rows ``start`` to ``stop``, moved, scaled, times ``factor`` (a power of two) in float32 → (rows, d)."""
        return self.features[start:stop].sub(self.origin).mul_(factor / self.scale).float()

    def columns(self, start: int, stop: int) -> Tensor:
        """``panel`` transposed in memory, (d, rows): as the right side of a product a sixth faster on a CPU."""
        return self.panel(start, stop).T.contiguous()

    def rows(self, index: Tensor) -> Tensor:
        """The chosen rows, moved and scaled in float64 → (len(index), d)."""
        return self.features[index].double().sub_(self.origin.double()).div_(self.scale)

    def low_norms(self, start: int, stop: int) -> Tensor:
        """(1 - C)‖x_i‖², the row's part of the lower bound, float32; the floor pays for underflow."""
        return (self.norms[start:stop] * (1 - self.slack) - FLOOR).float()

    def width(self, start: int, stop: int) -> Tensor:
        """2C‖x_i‖², the row's part of upper minus lower bound, rounded up to float32."""
        return self.uncertainty(self.norms[start:stop]).float()

    def uncertainty(self, norms: Tensor) -> Tensor:
        """2C‖x‖² plus the floor on both sides, a little widened, float64."""
        return norms * (2.0001 * self.slack) + 2.0001 * FLOOR


def lower_bounds(x: Tensor, y: Tensor, x_norms: Tensor, y_norms: Tensor) -> Tensor:
    """x_norms_i + y_norms_j + ⟨x_i, y_j⟩ for panels (n, d) and (d, m) → (n, m); x comes times -2.

    (With the factor in addmm's alpha instead, some CPU builds leave their fast path.)
    """
    return torch.addmm(y_norms, x, y).add_(x_norms[:, None])


def tiles(n: int, side: int) -> list[tuple[int, int]]:
    """0…n cut into equal pieces of at most ``side``."""
    count = math.ceil(n / side)
    edges = [round(i * n / count) for i in range(count + 1)]
    return list(pairwise(edges))


def exact_distances(x: Tensor, y: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """‖x_i - y_j‖ for pairs of rows, from float64 differences → (pairs,) float64.

    No cancellation, zero for equal rows, symmetric in its arguments bit for bit, and the same for a pair
    however many pairs are asked for: two equal distances compare equal.
    """
    out = torch.empty(len(i), dtype=torch.float64, device=x.device)
    for start in range(0, len(i), _EXACT_ROWS):
        part = slice(start, start + _EXACT_ROWS)
        difference = x[i[part]].double().sub_(y[j[part]])
        if x.device.type == "cpu":
            values = difference.numpy()
            out[part] = torch.from_numpy(np.sqrt(np.einsum("ij,ij->i", values, values)))
        else:
            padded = torch.zeros(_EXACT_ROWS, x.shape[1], dtype=torch.float64, device=x.device)
            padded[: len(difference)] = difference
            out[part] = padded.square_().sum(dim=1).sqrt_()[: len(difference)]
    return out
