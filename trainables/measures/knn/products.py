"""Squared distances as float32 matrix products with a bound on their error.

For rows x_i, y_j moved to a common origin and scaled by a power of two, one float32 product that begins with the norms

    A_ij = (‖x_i‖² + ‖y_j‖²) - 2⟨x_i, y_j⟩,    |A_ij - ‖x_i - y_j‖²| ≤ C (‖x_i‖² + ‖y_j‖²),

whatever the order of summation, with C = 2γ_{d+16}, γ_n = nu/(1-nu), u = 2⁻²⁴. (Higham, *Accuracy and Stability
of Numerical Algorithms*, §3.1: the error is at most γ_{d+2} times the sum of the terms' sizes, and that is at most
‖x‖² + ‖y‖² + 2‖x‖‖y‖ ≤ 2‖x‖² + 2‖y‖²; the rest of C pays for moving, scaling and rounding the norms.) The bound
separates into a part of the row and a part of the column; the norms carry these too, and what :func:`lower_bounds`
gives is a lower bound. What the interval leaves open is settled by :func:`exact_distances`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from trainables.measures.knn.workers import each

__all__ = ["Panel", "Points", "exact_distances", "full_float32", "lower_bounds", "tiles"]

_EXACT_ROWS = 1024  # pairs at a time on CUDA, always padded to this, so the order of summation never varies
_PIECE = 1 << 18  # numbers widened to float64 at a time on a CPU: what a core's cache holds
_NOTHING = torch.empty(0, dtype=torch.float64)
_UNIT = 2.0**-24
_TINY = 2.0**-124  # a product of float32 numbers that underflows errs by less
_COORDINATES = 512  # of a panel, moved and transposed at a time
_ALIGNED = (
    16  # panels have a multiple of this many coordinates: a cache line, and what kernels are unrolled by
)


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


@dataclass(frozen=True)
class Panel:
    """Some rows of a set, as either factor of a product.

    - ``points`` (w, n) float32: the moved and scaled rows, transposed, coordinates filled up with zeros;
    - ``bounds`` (n,) float32: their parts of the lower bound.

    Transposed, one array serves as right factor and, seen from the other side, as left one. Rows against rows would do,
    but with a bias OpenBLAS takes nearly twice as long for that on aarch64.
    """

    points: Tensor
    bounds: Tensor

    def part(self, start: int, stop: int) -> Panel:
        """Some of its rows, without a copy."""
        return Panel(self.points[:, start:stop], self.bounds[start:stop])


def lower_bounds(left: Panel, right: Panel, out: Tensor) -> Tensor:
    """Lower bounds of the squared distances of all rows of ``left`` and ``right``, into ``out`` (n, m) float32."""
    torch.add(left.bounds[:, None], right.bounds, out=out)
    return out.addmm_(left.points.T, right.points, alpha=-2)


class Points:
    """Rows of a feature array (N, d) seen from an origin and scaled, panel by panel, in float32.

    - ``norms`` (N,) float64: ‖x_i‖² after moving and scaling, at most 1;
    - ``scale``: the power of two that was divided out;
    - ``slack``: C of the error bound; ``floor``: what underflow may add to the error.
    """

    def __init__(self, features: Tensor, origin: Tensor, norms: Tensor, scale: float) -> None:
        self.features = features
        self.origin = origin
        self.scale = scale
        self.norms = norms / scale**2
        terms = features.shape[1] + 16
        self.slack = 2 * terms * _UNIT / (1 - terms * _UNIT)
        self.floor = terms * _TINY

    @classmethod
    def together(cls, *sets: Tensor) -> list[Points]:
        """Several sets from one origin (the mean of the first) with one scale."""
        sums = _by_pieces(lambda piece: piece.sum(dim=0), sets[0])
        origin = (torch.stack(sums).sum(dim=0) / len(sets[0])).to(sets[0])
        wide = origin.double()
        norms = [torch.cat(_by_pieces(lambda piece: piece.sub_(wide).square_().sum(dim=1), x)) for x in sets]
        largest = max(float(part.amax()) for part in norms)
        if not math.isfinite(largest):
            raise ValueError("squared distances of the features overflow float64; rescale the features")
        scale = 2.0 ** math.ceil(math.log2(largest) / 2) if largest > 0 else 1.0
        return [cls(x, origin, part, scale) for x, part in zip(sets, norms, strict=True)]

    def __len__(self) -> int:
        return len(self.features)

    def panels(self, pieces: Sequence[tuple[int, int]]) -> list[Panel]:
        """The set in pieces, all of them made now."""
        return each(lambda piece: self.panel(*piece), pieces, self.features.device)

    def panel(self, start: int, stop: int, memory: Tensor | None = None) -> Panel:
        """The rows from ``start`` to ``stop``; in ``memory``, a flat array that is large enough, if given."""
        d, n = self.features.shape[1], stop - start
        wide = self.width_of_panels
        if memory is None:
            memory = torch.empty(wide * n, device=self.features.device)
        points = memory[: wide * n].view(wide, n)
        points[d:] = 0
        for some in (slice(first, first + _COORDINATES) for first in range(0, d, _COORDINATES)):
            moved = self.features[start:stop, some].sub(self.origin[some]).mul_(1 / self.scale)
            # From a small array: rows of the features, a power of two apart, would share a few lines of the cache.
            points[:d][some].copy_(moved.T)
        return Panel(points, (self.norms[start:stop] * (1 - self.slack) - self.floor).float())

    @property
    def width_of_panels(self) -> int:
        """Coordinates of a panel: d, filled up."""
        return math.ceil(self.features.shape[1] / _ALIGNED) * _ALIGNED

    def rows(self, index: Tensor) -> Tensor:
        """The chosen rows, moved and scaled in float64 → (len(index), d)."""
        return self.features[index].double().sub_(self.origin.double()).div_(self.scale)

    def width(self, start: int, stop: int) -> Tensor:
        """The row's part of upper minus lower bound, 2C‖x_i‖² and the floor twice, a little widened → (rows,)."""
        return self.norms[start:stop] * (2.0001 * self.slack) + 2.0001 * self.floor


def _by_pieces(action: Callable[[Tensor], Tensor], x: Tensor) -> list[Tensor]:
    """``action`` of float64 copies of rows of ``x`` (N, d), as many as fit a core's cache (all of them on CUDA)."""
    rows = len(x) if x.device.type == "cuda" else max(1, _PIECE // x.shape[1])
    return each(
        lambda at: action(x[at[0] : at[1]].to(torch.float64, copy=True)), tiles(len(x), rows), x.device
    )


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
    if x.device.type == "cpu":
        step = max(1, _PIECE // x.shape[1])
        parts = list(zip(i.split(step), j.split(step), strict=True))
        return torch.cat([_NOTHING, *each(lambda part: _by_numpy(x, y, *part), parts, x.device)])
    out = torch.empty(len(i), dtype=torch.float64, device=x.device)
    for start in range(0, len(i), _EXACT_ROWS):
        part = slice(start, start + _EXACT_ROWS)
        difference = x[i[part]].double().sub_(y[j[part]])
        padded = torch.zeros(_EXACT_ROWS, x.shape[1], dtype=torch.float64, device=x.device)
        padded[: len(difference)] = difference
        out[part] = padded.square_().sum(dim=1).sqrt_()[: len(difference)]
    return out


def _by_numpy(x: Tensor, y: Tensor, i: Tensor, j: Tensor) -> Tensor:
    difference = np.subtract(x.numpy()[i.numpy()], y.numpy()[j.numpy()], dtype=np.float64)
    return torch.from_numpy(np.sqrt(np.einsum("ij,ij->i", difference, difference)))
