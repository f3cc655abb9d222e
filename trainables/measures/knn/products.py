"""Squared distances as float32 matrix products with a bound on their error.

For rows x_i, y_j, moved to a common origin and scaled by a power of two unless they are good as given, one float32
product that begins with the norms

    A_ij = (‖x_i‖² + ‖y_j‖²) - 2⟨x_i, y_j⟩,    |A_ij - ‖x_i - y_j‖²| ≤ C (‖x_i‖² + ‖y_j‖²),

whatever the order of summation, with C = 2γ_{d+16}, γ_n = nu/(1-nu), u = 2⁻²⁴. (Higham, *Accuracy and Stability
of Numerical Algorithms*, §3.1: the error is at most γ_{d+2} times the sum of the terms' sizes, and that is at most
‖x‖² + ‖y‖² + 2‖x‖‖y‖ ≤ 2‖x‖² + 2‖y‖²; the rest of C pays for moving, scaling and rounding the norms.) The bound
separates into a part of the row and a part of the column; the norms carry these too, and what :func:`lower_bounds`
gives is a lower bound. What the interval leaves open is settled by :func:`.exact_distances`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from trainables.measures.knn.exact import squared_norms
from trainables.measures.knn.memory import Scratch, room
from trainables.measures.knn.numbers import Numbers, numbers
from trainables.measures.knn.workers import each

__all__ = ["Panel", "Points", "full_float32", "lower_bounds", "plain_products", "tiles"]

_SAMPLE = 1024  # rows whose mean is an origin
_NEAR = 2.0  # variances: a squared mean of at most so many widens the bounds three times at most
_TAME = 2.0**40  # squared norms between its inverse and it neither overflow nor vanish in float32
_UNIT = 2.0**-24
_TINY = 2.0**-124  # a product of float32 numbers that underflows errs by less
_MOVED_AT_A_TIME = 1 << 17  # numbers moved and scaled at a time on a CPU: what a core's cache holds
_STRIP_OF_PANEL = 512  # rows


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


@contextmanager
def plain_products() -> Iterator[None]:
    """:func:`full_float32`, and by the BLAS on every CPU.

    On aarch64 torch would have oneDNN multiply rows by rows, which takes longer where the result is added to something.
    """
    backend: Any = torch.backends.mkldnn
    with full_float32():
        before = backend.enabled
        backend.enabled = False
        try:
            yield
        finally:
            backend.enabled = before


@dataclass(frozen=True)
class Panel:
    """Some rows of a set, as either factor of a product.

    - ``points`` (n, d) float32: the rows, moved and scaled if they have to be;
    - ``bounds`` (n,) float32: their parts of the lower bound, an array on a CPU.
    """

    points: Tensor
    bounds: Numbers

    @cached_property
    def turned(self) -> Tensor:
        """Its points as columns (d, n)."""
        return self.points.T

    def __len__(self) -> int:
        return len(self.bounds)

    def part(self, start: int, stop: int) -> Panel:
        """Some of its rows, without a copy."""
        if (start, stop) == (0, len(self)):
            return self
        return Panel(self.points[start:stop], self.bounds[start:stop])


def lower_bounds(left: Panel, right: Panel, out: Tensor, seen: Numbers | None = None) -> Numbers:
    """Lower bounds of the squared distances of all rows of ``left`` and ``right``, into ``out`` (n, m) float32.

    ``seen``: the same memory as it is read afterwards, if at hand. That is what comes back.
    """
    seen = numbers(out) if seen is None else seen
    if isinstance(seen, np.ndarray):
        np.add(left.bounds[:, None], right.bounds, out=seen)
    else:
        torch.add(torch.as_tensor(left.bounds)[:, None], torch.as_tensor(right.bounds), out=out)
    out.addmm_(left.points, right.turned, alpha=-2)
    return seen


class Points:
    """Rows of a feature array (N, d) seen from an origin and scaled, panel by panel, in float32.

    - ``norms`` (N,) float64: ‖x_i‖² after moving and scaling, at most 2⁴⁰;
    - ``scale``: the power of two that was divided out;
    - ``slack``: C of the error bound; ``floor``: what underflow may add to the error;
    - ``width`` (N,) float64: a row's part of upper minus lower bound, 2C‖x_i‖² and the floor twice, a little widened;
    - ``as_given``: whether the features need neither, and serve as panels without a copy.
    """

    def __init__(self, features: Tensor, origin: Tensor | None, norms: Tensor, scale: float) -> None:
        """``origin`` (d,), zero if none; ``norms`` (N,) squared, from there, before scaling."""
        self.features = features
        self.origin = features.new_zeros(features.shape[1]) if origin is None else origin
        self.scale = scale
        self.norms = norms / scale**2
        terms = features.shape[1] + 16
        self.slack = 2 * terms * _UNIT / (1 - terms * _UNIT)
        self.floor = terms * _TINY
        self.width = self.norms * (2.0001 * self.slack) + 2.0001 * self.floor
        self.as_given = origin is None and scale == 1 and _could_serve(features)
        exponent = -round(math.log2(scale))
        # In two steps, since float32 may know both numbers and not the power of two between them.
        self._powers = [2.0**part for part in (exponent // 2, exponent - exponent // 2) if part]

    @classmethod
    def together(cls, *sets: Tensor, scratch: Scratch | None = None) -> list[Points]:
        """Several sets from one origin with one scale.

        Bounds hold from any origin, and are the narrower the nearer it is: the mean of some rows of the first set, or
        zero where that is nearly as good and saves a copy.
        """
        first, *_ = sets
        mean, norms = _mean(first), [squared_norms(first, None)] if _could_serve(first) else []
        origin = None if norms and _centred(mean, norms[0]) else mean.to(first)
        if origin is not None:
            norms = []
        norms += [squared_norms(x, origin, scratch) for x in sets[len(norms) :]]
        largest = max(float(part.amax()) for part in norms)
        if not math.isfinite(largest):
            raise ValueError("squared distances of the features overflow float64; rescale the features")
        return [cls(x, origin, part, _scale(largest)) for x, part in zip(sets, norms, strict=True)]

    @property
    def alone_as_given(self) -> bool:
        """Whether the features would serve as they are without the other sets too."""
        if not self.as_given:
            return False
        return _scale(float(self.norms.amax())) == 1 and _centred(_mean(self.features), self.norms)

    def __len__(self) -> int:
        return len(self.features)

    def panels(self, pieces: Sequence[tuple[int, int]]) -> list[Panel]:
        """The set in pieces; if they are made, then now, in one stretch of memory that is given back as a whole."""
        if self.as_given:
            return [self.panel(*piece) for piece in pieces]
        memory = room(self.features.numel(), self.features.device).view(self.features.shape)
        strips = tiles(len(self), _STRIP_OF_PANEL)
        each(lambda strip: self._fill(memory[slice(*strip)], *strip), strips, self.features.device)
        return [Panel(memory[slice(*piece)], self._bounds(*piece)) for piece in pieces]

    def panel(self, start: int, stop: int, memory: Tensor | None = None) -> Panel:
        """The rows from ``start`` to ``stop``; if made, in ``memory``, a flat array that is large enough, if given."""
        rows = self.features[start:stop]
        if not self.as_given:
            if memory is None:
                memory = room(rows.numel(), rows.device)
            rows = memory[: rows.numel()].view(rows.shape)
            self._fill(rows, start, stop)
        return Panel(rows, self._bounds(start, stop))

    def _fill(self, place: Tensor, start: int, stop: int) -> None:
        """Move and scale rows into ``place`` (stop - start, d)."""
        step = stop - start if place.is_cuda else max(1, _MOVED_AT_A_TIME // place.shape[1])
        for rows, part in zip(self.features[start:stop].split(step), place.split(step), strict=True):
            moved = rows.sub(self.origin)
            for power in self._powers:
                moved.mul_(power)
            part.copy_(moved)

    def _bounds(self, start: int, stop: int) -> Numbers:
        return numbers((self.norms[start:stop] * (1 - self.slack) - self.floor).float())

    def rows(self, index: Tensor) -> Tensor:
        """The chosen rows, moved and scaled in float64 → (len(index), d)."""
        return self.features[index].double().sub_(self.origin.double()).div_(self.scale)


def _some(x: Tensor) -> Tensor:
    """At most 1,024 rows of (N, …), evenly spread."""
    return x[:: math.ceil(len(x) / _SAMPLE)]


def _mean(x: Tensor) -> Tensor:
    """The mean of some rows of (N, d) in float64 → (d,)."""
    return _some(x).mean(dim=0, dtype=torch.float64)


def _centred(mean: Tensor, norms: Tensor) -> bool:
    """Whether zero is nearly as good an origin as the :func:`_mean` (d,) of a set with squared norms (N,).

    Both are of the same rows: a single one far off is to move neither or both.
    """
    off = float(mean.square().sum())
    return off <= _NEAR * (float(_some(norms).mean()) - off)


def _scale(largest: float) -> float:
    """The power of two to divide rows by, for the largest squared norm to be one that float32 bears."""
    tame = largest == 0 or 1 / _TAME <= largest <= _TAME
    return 1.0 if tame else 2.0 ** math.ceil(math.log2(largest) / 2)


def _could_serve(x: Tensor) -> bool:
    """Whether a product may read these rows as they are. On CUDA it should not: a copy costs less than wider bounds."""
    return x.dtype == torch.float32 and x.is_contiguous() and not x.is_cuda


def tiles(n: int, side: int, unit: int = 1) -> list[tuple[int, int]]:
    """0…n cut into pieces of at most ``side``, as equal as multiples of a ``unit`` can be; the last has the rest."""
    units = math.ceil(n / unit)
    count = math.ceil(units / max(1, side // unit))
    edges = [min(n, unit * round(i * units / count)) for i in range(count + 1)]
    return list(pairwise(edges))
