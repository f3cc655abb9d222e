"""Uniform laws on star-shaped regions of the plane: the support-based precision and recall, and their samples.

ᾱ = P̂(supp P) and β̄ = P(supp P̂) (thesis, definition 3.2.2). For uniform laws they are shares of areas, so that the
estimate from k-nearest-neighbour balls can be held against the truth (thesis, figures 3.2 and 3.3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

__all__ = ["MODEL_BLOB", "REAL_BLOB", "Blob", "overlap_outline", "support_scores"]


@dataclass(frozen=True)
class Blob:
    """The region ‖x - c‖ ≤ R(1 + Σ_h a_h cos(hθ - φ_h)) around a centre c, with the uniform law on it.

    Attributes:
        centre: c.
        radius: R.
        waves: (h, a_h, φ_h) of each wave of the boundary; Σ|a_h| < 1.
    """

    centre: tuple[float, float]
    radius: float
    waves: tuple[tuple[int, float, float], ...] = ()

    def reach(self, theta: Tensor) -> Tensor:
        """The radius of the boundary in direction θ, of any shape."""
        ripple = sum((a * torch.cos(h * theta - phi) for h, a, phi in self.waves), torch.zeros_like(theta))
        return self.radius * (1 + ripple)

    def boundary(self, points: int = 241) -> Tensor:
        """A closed outline, (points, 2)."""
        theta = torch.linspace(0, 2 * math.pi, points, dtype=torch.float64)
        return self._at(theta, self.reach(theta))

    def area(self) -> float:
        """½∫r(θ)²dθ = πR²(1 + ½Σa_h²) for waves of different h."""
        return math.pi * self.radius**2 * (1 + sum(a**2 for _, a, _ in self.waves) / 2)

    def holds(self, x: Tensor) -> Tensor:
        """Whether points (…, 2) lie in the region."""
        offset = x - torch.tensor(self.centre, dtype=x.dtype)
        distance: Tensor = offset.norm(dim=-1)
        return distance <= self.reach(torch.atan2(offset[..., 1], offset[..., 0]))

    def sample(self, count: int, seed: int) -> Tensor:
        """Uniform samples, (count, 2): drawn in the smallest disc around the centre, kept where the region is."""
        generator = torch.Generator().manual_seed(seed)
        widest = self.radius * (1 + sum(abs(a) for _, a, _ in self.waves))
        kept = torch.empty(0, 2, dtype=torch.float64)
        while len(kept) < count:
            u, v = torch.rand(2, 2 * count, generator=generator, dtype=torch.float64)
            drawn = self._at(2 * math.pi * u, widest * v.sqrt())
            kept = torch.cat([kept, drawn[self.holds(drawn)]])
        return kept[:count]

    def _at(self, theta: Tensor, distance: Tensor) -> Tensor:
        offset = torch.stack([torch.cos(theta), torch.sin(theta)], dim=-1) * distance[..., None]
        return torch.tensor(self.centre, dtype=torch.float64) + offset


REAL_BLOB = Blob((0.0, 0.0), 1.5, ((2, 0.16, 0.6), (3, 0.14, 2.0)))
MODEL_BLOB = Blob((1.25, 0.35), 1.15, ((2, 0.18, 2.6), (3, 0.10, 0.4), (5, 0.05, 1.0)))


def support_scores(real: Blob, model: Blob, side: int = 801) -> tuple[float, float]:
    """(ᾱ, β̄) of the uniform laws: |A ∩ B|/|B| and |A ∩ B|/|A| of the real region A and the model's B.

    The cells of a grid of ``side`` × ``side`` over both are counted; at 801 the error is below 1e-3.
    """
    x = _grid(real, model, side)
    in_real, in_model = real.holds(x), model.holds(x)
    both = float((in_real & in_model).sum())
    return both / float(in_model.sum()), both / float(in_real.sum())


def overlap_outline(first: Blob, second: Blob, points: int = 241) -> Tensor:
    """A closed outline of the common region, (points, 2), by bisection along rays from its centre of mass.

    The common region must be star-shaped around that centre, as it is for regions that are nearly convex.
    """
    x = _grid(first, second, 201)
    common = x[first.holds(x) & second.holds(x)]
    if len(common) == 0:
        raise ValueError("the regions have no common part to outline")
    centre, theta = common.mean(0), torch.linspace(0, 2 * math.pi, points, dtype=torch.float64)
    ray = torch.stack([torch.cos(theta), torch.sin(theta)], dim=-1)
    low, high = torch.zeros_like(theta), torch.full_like(theta, 4 * (first.radius + second.radius))
    for _ in range(50):
        middle = (low + high) / 2
        at = centre + middle[:, None] * ray
        inside = first.holds(at) & second.holds(at)
        low, high = torch.where(inside, middle, low), torch.where(inside, high, middle)
    return centre + low[:, None] * ray


def _grid(first: Blob, second: Blob, side: int) -> Tensor:
    """Points of a grid over both regions, (side, side, 2)."""
    outline = torch.cat([first.boundary(), second.boundary()])
    axes = [
        torch.linspace(float(low), float(high), side, dtype=torch.float64)
        for low, high in zip(outline.amin(0), outline.amax(0), strict=True)
    ]
    return torch.stack(torch.meshgrid(*axes, indexing="ij"), dim=-1)
