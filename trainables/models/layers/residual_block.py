"""A block of a residual flow (Behrmann et al. 2019, Chen et al. 2019): z = x + g(x) with Lip(g) ≤ L < 1."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from trainables.models.layers.contractive import Contractive
from trainables.models.layers.exactly import wanted_exactly
from trainables.models.layers.flow import Part
from trainables.models.layers.log_det import (
    exact_log_det,
    factorised_log_det,
    jacobian,
    series_log_det,
    series_terms,
    shares_of_terms,
    solved,
)
from trainables.models.layers.stacked import in_stack
from trainables.models.residual import fixed_point_steps, unrolled_steps

__all__ = ["ResidualBlock"]

_CERTAIN = 2
"""Terms of the series that every sample gets in training (Chen et al. 2019)."""

_TRAINING_REMAINDER, _EVALUATION_REMAINDER = 1e-3, 1e-4
"""What the terms left out may amount to, per dimension, were every singular value of the Jacobian L."""

_PROBES = 4
"""Random vectors over which the series is averaged in evaluation."""


_EXACTLY, _DIMENSIONS = 1e-14, 1024
"""The tolerance of what is wanted exactly, and the dimensions up to which its log-determinant is that of a matrix."""


class ResidualBlock(Part):
    """From data to latents it is x + g(x); from latents to data, the inverse by a fixed-point iteration.

    So densities are fast and samples slow. The log-determinant is exact up to ``exact`` dimensions; beyond, it is the
    series with Russian roulette in training and a long series in evaluation. Samples have gradients. Up to ``exact``
    dimensions a Newton step from the fixed point, with its matrix held, has the gradient of the implicit function;
    beyond, the last iterations are unrolled. Within ``exactly`` the iteration goes on to the last digits of a double,
    all of it is unrolled if there are gradients to come, and the log-determinant is exact up to 1,024 dimensions d, for
    d passes and d³ operations a sample.
    """

    def __init__(
        self, shape: tuple[int, ...], width: int, constant: float, tolerance: float, exact: int
    ) -> None:
        super().__init__()
        self.constant = constant
        self.dimensions = math.prod(shape)
        self.exact = self.dimensions <= exact
        self.tolerance = tolerance
        self.unrolled = unrolled_steps(constant)
        self.net = Contractive(shape, width, constant)

    def forward(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        """x + g(x) with ``inverse``, else its inverse, and the log-determinant."""
        g = self.net.function()
        if inverse:
            return x + g(x), self._log_det(g, x)
        y = self._solved(g, x)
        return y, -self._log_det(g, y)

    def move(self, x: Tensor, inverse: bool) -> Tensor:
        """The same without the determinant."""
        g = self.net.function()
        return x + g(x) if inverse else self._solved(g, x)

    def _solved(self, g: Callable[[Tensor], Tensor], z: Tensor) -> Tensor:
        """x with x + g(x) = z."""
        with torch.no_grad():
            x = self._limit(g, z.detach())
            matrix = jacobian(g, x) if self.exact else None
        if matrix is None:
            whole = wanted_exactly() and torch.is_grad_enabled()
            for _ in range(fixed_point_steps(self.constant, _EXACTLY) if whole else self.unrolled):
                x = z - g(x)
            return x
        miss = (x + g(x) - z).flatten(1)
        return x - solved(matrix, miss).reshape(x.shape)

    def _limit(self, g: Callable[[Tensor], Tensor], z: Tensor) -> Tensor:
        """x ← z - g(x) from x = z, each sample until it is within tolerance, at most ``steps`` times.

        |x_{k+1} - x_k| ≤ ε (1 - L)/L |g(z)| is proof enough: |x_{k+1} - x*| is at most L/(1 - L) of the left side. No
        more is asked than floats can tell. Where nobody can look, samples that are done wait for the last step, so
        that they are the same in every case.
        """
        tolerance = min(self.tolerance, _EXACTLY) if wanted_exactly() else self.tolerance
        enough = tolerance * (1 - self.constant) / self.constant
        x, moving, first = z, z.new_ones(len(z), dtype=torch.bool), None
        for _ in range(fixed_point_steps(self.constant, tolerance)):
            after = z - g(x)
            moved, size = (a.flatten(1).norm(dim=1) for a in (after - x, after))
            first = moved if first is None else first
            x = torch.where(moving.reshape(-1, *[1] * (z.ndim - 1)), after, x)
            moving = moving & (moved > (enough * first).maximum(torch.finfo(z.dtype).eps * size))
            if _can_look(z) and not bool(moving.any()):
                break
        return x

    def _log_det(self, g: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
        if self.exact:
            return exact_log_det(g, x)
        if wanted_exactly() and self.dimensions <= _DIMENSIONS:
            return factorised_log_det(g, x)
        if self.training:
            terms = series_terms(self.constant, _TRAINING_REMAINDER)
            return series_log_det(g, x, shares_of_terms(len(x), terms, _CERTAIN, max(0.5, self.constant)))
        terms = series_terms(self.constant, _EVALUATION_REMAINDER)
        estimates = [series_log_det(g, x, [len(x)] * terms) for _ in range(_PROBES)]
        return torch.stack(estimates).mean(0)


def _can_look(x: Tensor) -> bool:
    """Whether numbers can be read where the pass is being computed: not while it is mapped, recorded or compiled."""
    recorded = x.is_cuda and torch.cuda.is_current_stream_capturing()
    return not (in_stack() or recorded or torch.compiler.is_compiling())
