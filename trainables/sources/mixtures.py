"""Mixtures of isotropic Gaussians: toy data whose density, modes and cell masses are known exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

__all__ = ["MIXTURES", "GaussianMixture", "mixture"]


@dataclass(frozen=True)
class GaussianMixture:
    """p(x) = Σ_m w_m N(x; μ_m, σ² I).

    Attributes:
        means: (M, d).
        weights: (M,) in float64, summing to 1.
        sigma: standard deviation σ of every component.
    """

    means: Tensor
    weights: Tensor
    sigma: float

    @property
    def dim(self) -> int:
        """Number of coordinates d."""
        return int(self.means.shape[1])

    def to(self, device: torch.device | str) -> GaussianMixture:
        """The same law with its tensors on a device."""
        return GaussianMixture(self.means.to(device), self.weights.to(device), self.sigma)

    def transform(self, uniform: Tensor, normal: Tensor) -> Tensor:
        """Samples from uniforms (…, n) that choose the mode and normals (…, n, d) around it."""
        ends = self.weights.cumsum(0).to(uniform.dtype)
        mode = torch.searchsorted(ends, uniform.contiguous()).clamp_(max=len(self.weights) - 1)
        return self.means[mode] + self.sigma * normal

    def log_prob(self, x: Tensor) -> Tensor:
        """log p at x (…, d) → (…), in the precision of x."""
        means, weights = self.means.to(x), self.weights.to(x)
        squared = (x.unsqueeze(-2) - means).square().sum(-1)
        normaliser = 0.5 * self.dim * math.log(2 * math.pi * self.sigma**2)
        return torch.logsumexp(weights.log() - squared / (2 * self.sigma**2), dim=-1) - normaliser

    def cell_masses(self, edges: Tensor) -> Tensor:
        """Exact mass of every cell of the grid edges^d, flattened: ((B-1)^d,), by products of Φ differences."""
        means = self.means.double()
        cdf = torch.special.ndtr(
            (edges.double()[None, None, :] - means[:, :, None]) / self.sigma
        )  # (M, d, B)
        along = cdf.diff(dim=-1)  # (M, d, B-1)
        cells = along[:, 0]
        for axis in range(1, self.dim):
            cells = (cells[..., None] * along[:, axis, None, :]).flatten(1)
        masses: Tensor = self.weights.double() @ cells
        return masses

    def span(self, sigmas: float = 5.0) -> tuple[float, float]:
        """An interval that holds every coordinate of every mode with ``sigmas`` standard deviations around."""
        return (
            float(self.means.min()) - sigmas * self.sigma,
            float(self.means.max()) + sigmas * self.sigma,
        )


def _equal(modes: int) -> Tensor:
    return torch.full((modes,), 1 / modes, dtype=torch.float64)


def _ring() -> GaussianMixture:
    angle = torch.arange(8, dtype=torch.float64) * (2 * math.pi / 8)
    means = 2.0 * torch.stack((angle.cos(), angle.sin()), dim=1)
    return GaussianMixture(means.float(), _equal(8), sigma=0.2)


def _grid() -> GaussianMixture:
    line = torch.arange(-2, 3, dtype=torch.float32)
    return GaussianMixture(torch.cartesian_prod(line, line), _equal(25), sigma=0.1)


def _line() -> GaussianMixture:
    weights = torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64)
    return GaussianMixture(torch.tensor([[-2.0], [0.0], [2.0]]), weights, sigma=0.25)


MIXTURES: Mapping[str, Callable[[], GaussianMixture]] = {
    "gaussians8": _ring,
    "gaussians25": _grid,
    "mixture1d": _line,
}
"""8 modes on a ring of radius 2, 25 on a 5×5 grid, 3 unequal ones on a line."""


def mixture(name: str) -> GaussianMixture:
    """The mixture of that name."""
    if name not in MIXTURES:
        raise ValueError(f"no mixture is called '{name}'; there are {', '.join(MIXTURES)}")
    return MIXTURES[name]()
