"""Concentric rings in the plane: modes that are curves, not points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.datasets.dataset import Dataset
from trainables.family import at_most, positive, require

if TYPE_CHECKING:
    from trainables.sources.law_source import LawSource

__all__ = ["Rings"]


@dataclass(frozen=True)
class Rings(Dataset):
    """Circles of equal mass, blurred by a Gaussian of standard deviation ``sigma``.

    A circle is a mixture of Gaussians on it, at most σ/2 apart: their sum differs from the blurred circle by less than
    float32 can tell. Each ring is one mode.

    Attributes:
        radii: radii of the circles.
        sigma: standard deviation σ of the Gaussian that blurs them.
    """

    name: ClassVar[str] = "rings"
    has_law: ClassVar[bool] = True
    radii: tuple[float, ...] = (1.0, 2.0)
    sigma: float = 0.1

    def check(self) -> None:
        """Rings have a radius and a width."""
        require(len(self.radii) > 0, "dataset.radii needs at least one ring, got an empty list")
        at_most(100, **{"the number of rings in dataset.radii": len(self.radii)})
        for name, size in (
            *(("dataset.radii", radius) for radius in self.radii),
            ("dataset.sigma", self.sigma),
        ):
            positive(**{name: size})
            at_most(1e6, **{name: size})
            require(size >= 1e-6, f"{name} must be at least 1e-06, got {size}; use a larger one")
        require(
            len(set(self.radii)) == len(self.radii),
            f"dataset.radii must differ, since each ring is a mode, got {list(self.radii)}",
        )
        require(
            1000 * self.sigma >= max(self.radii),
            f"dataset.sigma must not be below a thousandth of the largest radius, got {self.sigma}",
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """Points of the plane."""
        return (2,)

    def source(self) -> LawSource:
        """Fresh samples of the mixture."""
        import torch

        from trainables.sources.law_source import LawSource
        from trainables.sources.mixture import GaussianMixture

        means, weights, groups = [], [], []
        for ring, radius in enumerate(self.radii):
            count = math.ceil(4 * math.pi * radius / self.sigma)
            angle = torch.arange(count, dtype=torch.float64) * (2 * math.pi / count)
            means.append(radius * torch.stack((angle.cos(), angle.sin()), dim=1))
            weights.append(torch.full((count,), 1 / (count * len(self.radii)), dtype=torch.float64))
            groups.append(torch.full((count,), ring))
        law = GaussianMixture(torch.cat(means).float(), torch.cat(weights), self.sigma, torch.cat(groups))
        return LawSource(law)
