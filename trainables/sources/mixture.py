"""Mixtures of isotropic Gaussians: data whose density and modes are known exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from trainables.randomness import Noise, Stream
from trainables.sources.law import Law, Modes

__all__ = ["GaussianMixture"]


@dataclass(frozen=True)
class GaussianMixture(Law):
    """p(x) = Σ_m w_m N(x; μ_m, σ² I).

    Attributes:
        means: (C, d), one row per component.
        weights: (C,) in float64, summing to 1.
        sigma: standard deviation σ of every component.
        groups: (C,) the mode 0, 1, … to which each component belongs; left out, every component is a mode.
    """

    means: Tensor
    weights: Tensor
    sigma: float
    groups: Tensor | None = None

    @property
    def dim(self) -> int:
        """Number of coordinates d."""
        return int(self.means.shape[1])

    @property
    def shape(self) -> tuple[int, ...]:
        """(d,)."""
        return (self.dim,)

    def to(self, device: torch.device | str) -> GaussianMixture:
        """The same law with its tensors on a device."""
        groups = None if self.groups is None else self.groups.to(device)
        return GaussianMixture(self.means.to(device), self.weights.to(device), self.sigma, groups)

    def draw(self, noise: Noise, stream: Stream, step: Tensor | int, count: int) -> Tensor:
        """(T, count, d) samples; uniforms and normals have steps of their own."""
        uniform = noise.uniform(stream, 2 * step, count)
        normal = noise.normal(stream, 2 * step + 1, count, self.dim)
        return self.transform(uniform, normal)

    def transform(self, uniform: Tensor, normal: Tensor) -> Tensor:
        """Samples from uniforms (…, n) that choose the component and normals (…, n, d) around it."""
        ends = self.weights.cumsum(0).to(uniform.dtype)
        which = torch.searchsorted(ends, uniform.contiguous()).clamp_(max=len(self.weights) - 1)
        return self.means[which] + self.sigma * normal

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
        along = cdf.diff(dim=-1)  # (C, d, B-1)
        masses: Tensor = self.weights.double()[:, None] * along[:, 0]
        for axis in range(1, self.dim - 1):
            masses = (masses[..., None] * along[:, axis, None, :]).flatten(1)
        # The last axis as a product of matrices: no array of components by cells is ever held.
        if self.dim > 1:
            masses = (masses.T @ along[:, -1]).reshape(1, -1)
        return masses.sum(dim=0)

    def span(self, sigmas: float = 5.0) -> tuple[float, float]:
        """An interval that holds every coordinate of every mode with ``sigmas`` standard deviations around."""
        return (
            float(self.means.min()) - sigmas * self.sigma,
            float(self.means.max()) + sigmas * self.sigma,
        )

    def modes(self, x: Tensor) -> Modes:
        """The mode of the nearest component, and whether that is within 3σ; O(n·C)."""
        nearest, component = torch.cdist(x.to(self.means), self.means).min(dim=1)
        near = nearest <= 3 * self.sigma
        if self.groups is None:
            return Modes(self.weights, component, near)
        weights = self.weights.new_zeros(int(self.groups.max()) + 1).index_add(0, self.groups, self.weights)
        return Modes(weights, self.groups[component], near)
