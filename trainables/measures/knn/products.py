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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from trainables.measures.knn.memory import room
from trainables.measures.knn.workers import each, in_shares

__all__ = ["Panel", "Points", "exact_distances", "full_float32", "lower_bounds", "tiles"]

_EXACT_ROWS = 1024  # pairs at a time on CUDA, always padded to this, so the order of summation never varies
_PIECE = 1 << 17  # numbers widened to float64 at a time on a CPU: half of what a core's cache holds
_SAMPLE = 1024  # rows whose mean is an origin
_UNIT = 2.0**-24
_TINY = 2.0**-124  # a product of float32 numbers that underflows errs by less
_ROWS_OF_PANEL = 64  # moved, scaled and transposed at a time on a CPU: what a core's cache holds
_STRIP_OF_PANEL = 512  # rows
# Panels have a multiple of this many coordinates: a cache line, and what kernels are unrolled by.
_ALIGNED = 16


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

    def __len__(self) -> int:
        return len(self.bounds)

    def part(self, start: int, stop: int) -> Panel:
        """Some of its rows, without a copy."""
        if (start, stop) == (0, len(self)):
            return self
        return Panel(self.points[:, start:stop], self.bounds[start:stop])


def lower_bounds(left: Panel, right: Panel, out: Tensor) -> Tensor:
    """Lower bounds of the squared distances of all rows of ``left`` and ``right``, into ``out`` (n, m) float32."""
    torch.add(left.bounds[:, None], right.bounds, out=out)
    return out.addmm_(left.points.T, right.points, alpha=-2)


class Points:
    """Rows of a feature array (N, d) seen from an origin and scaled, panel by panel, in float32.

    - ``norms`` (N,) float64: ‖x_i‖² after moving and scaling, at most 1;
    - ``scale``: the power of two that was divided out;
    - ``slack``: C of the error bound; ``floor``: what underflow may add to the error;
    - ``width`` (N,) float64: a row's part of upper minus lower bound, 2C‖x_i‖² and the floor twice, a little widened.
    """

    def __init__(self, features: Tensor, origin: Tensor, norms: Tensor, scale: float) -> None:
        self.features = features
        self.origin = origin
        self.scale = scale
        self.norms = norms / scale**2
        terms = features.shape[1] + 16
        self.slack = 2 * terms * _UNIT / (1 - terms * _UNIT)
        self.floor = terms * _TINY
        self.width = self.norms * (2.0001 * self.slack) + 2.0001 * self.floor

    @classmethod
    def together(cls, *sets: Tensor) -> list[Points]:
        """Several sets from one origin with one scale.

        Bounds hold from any origin, and are the narrower the nearer it is: the mean of some rows of the first set.
        """
        first = sets[0]
        origin = first[:: math.ceil(len(first) / _SAMPLE)].mean(dim=0, dtype=torch.float64).to(first)
        norms = [_squared_distances(x, origin) for x in sets]
        largest = max(float(part.amax()) for part in norms)
        if not math.isfinite(largest):
            raise ValueError("squared distances of the features overflow float64; rescale the features")
        scale = 2.0 ** math.ceil(math.log2(largest) / 2) if largest > 0 else 1.0
        return [cls(x, origin, part, scale) for x, part in zip(sets, norms, strict=True)]

    def __len__(self) -> int:
        return len(self.features)

    def panels(self, pieces: Sequence[tuple[int, int]]) -> list[Panel]:
        """The set in pieces, all of them made now, in one stretch of memory that is given back as a whole."""
        wide = self.width_of_panels
        memory = room(wide * len(self), self.features.device)
        points = [memory[wide * start : wide * stop].view(wide, stop - start) for start, stop in pieces]
        strips = [
            (at, strip)
            for at, (start, stop) in enumerate(pieces)
            for strip in tiles(stop - start, _STRIP_OF_PANEL)
        ]

        def fill(at: int, strip: tuple[int, int]) -> None:
            self._fill(points[at][:, slice(*strip)], pieces[at][0] + strip[0], pieces[at][0] + strip[1])

        each(lambda strip: fill(*strip), strips, self.features.device)
        return [Panel(made, self._bounds(*piece)) for made, piece in zip(points, pieces, strict=True)]

    def panel(self, start: int, stop: int, memory: Tensor | None = None) -> Panel:
        """The rows from ``start`` to ``stop``; in ``memory``, a flat array that is large enough, if given."""
        wide, n = self.width_of_panels, stop - start
        if memory is None:
            memory = room(wide * n, self.features.device)
        points = memory[: wide * n].view(wide, n)
        self._fill(points, start, stop)
        return Panel(points, self._bounds(start, stop))

    def _fill(self, points: Tensor, start: int, stop: int) -> None:
        """Move, scale and transpose rows into ``points`` (w, stop - start)."""
        d = self.features.shape[1]
        points[d:] = 0
        step = stop - start if points.device.type == "cuda" else _ROWS_OF_PANEL
        parts = self.features[start:stop].split(step), points[:d].split(step, dim=1)
        for rows, place in zip(*parts, strict=True):
            place.copy_(rows.sub(self.origin).mul_(1 / self.scale).T)

    def _bounds(self, start: int, stop: int) -> Tensor:
        return (self.norms[start:stop] * (1 - self.slack) - self.floor).float()

    @property
    def width_of_panels(self) -> int:
        """Coordinates of a panel: d, filled up."""
        return math.ceil(self.features.shape[1] / _ALIGNED) * _ALIGNED

    def rows(self, index: Tensor) -> Tensor:
        """The chosen rows, moved and scaled in float64 → (len(index), d)."""
        return self.features[index].double().sub_(self.origin.double()).div_(self.scale)


def _squared_distances(x: Tensor, origin: Tensor) -> Tensor:
    """‖x_i - o‖² from float64 differences: (N, d), (d,) → (N,) float64."""
    wide = origin.double()
    if x.device.type == "cuda":
        return x.double().sub_(wide).square_().sum(dim=1)
    array, centre = x.numpy(), wide.numpy()
    return in_shares(
        lambda start, stop: _sums_of_squares(array[start:stop], centre), len(x), _rows_at_a_time(x), x.device
    )


def tiles(n: int, side: int, unit: int = 1) -> list[tuple[int, int]]:
    """0…n cut into pieces of at most ``side``, as equal as multiples of a ``unit`` can be; the last has the rest."""
    units = math.ceil(n / unit)
    count = math.ceil(units / max(1, side // unit))
    edges = [min(n, unit * round(i * units / count)) for i in range(count + 1)]
    return list(pairwise(edges))


def exact_distances(x: Tensor, y: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """‖x_i - y_j‖ for pairs of rows, from float64 differences → (pairs,) float64.

    No cancellation, zero for equal rows, symmetric in its arguments bit for bit, and the same for a pair
    however many pairs are asked for: two equal distances compare equal.
    """
    if x.device.type == "cpu":
        return in_shares(
            lambda start, stop: _by_numpy(x, y, i[start:stop], j[start:stop]),
            len(i),
            _rows_at_a_time(x),
            x.device,
        )
    out = torch.empty(len(i), dtype=torch.float64, device=x.device)
    for start in range(0, len(i), _EXACT_ROWS):
        part = slice(start, start + _EXACT_ROWS)
        difference = x[i[part]].double().sub_(y[j[part]])
        padded = torch.zeros(_EXACT_ROWS, x.shape[1], dtype=torch.float64, device=x.device)
        padded[: len(difference)] = difference
        out[part] = padded.square_().sum(dim=1).sqrt_()[: len(difference)]
    return out


def _rows_at_a_time(x: Tensor) -> int:
    return max(1, _PIECE // x.shape[1])


def _by_numpy(x: Tensor, y: Tensor, i: Tensor, j: Tensor) -> Tensor:
    return _sums_of_squares(x.numpy()[i.numpy()], y.numpy()[j.numpy()]).sqrt_()


def _sums_of_squares(x: np.ndarray, y: np.ndarray) -> Tensor:
    """Σ_k (x_ik - y_ik)² from float64 differences, (n, d) and what broadcasts to it → (n,)."""
    difference = np.subtract(x, y, dtype=np.float64)
    return torch.from_numpy(np.einsum("ij,ij->i", difference, difference))
