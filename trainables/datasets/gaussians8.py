"""Eight Gaussians on a ring of radius 2 in the plane."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.datasets.dataset import Dataset

if TYPE_CHECKING:
    from trainables.sources.law_source import LawSource

__all__ = ["Gaussians8"]


@dataclass(frozen=True)
class Gaussians8(Dataset):
    """A ring of 8 in 2-D, radius 2, σ = 0.2."""

    name: ClassVar[str] = "gaussians8"
    has_law: ClassVar[bool] = True

    @property
    def shape(self) -> tuple[int, ...]:
        """Points of the plane."""
        return (2,)

    def source(self) -> LawSource:
        """Fresh samples of the mixture."""
        import torch

        from trainables.sources.law_source import LawSource
        from trainables.sources.mixture import GaussianMixture

        angle = torch.arange(8, dtype=torch.float64) * (2 * math.pi / 8)
        means = 2.0 * torch.stack((angle.cos(), angle.sin()), dim=1)
        weights = torch.full((8,), 1 / 8, dtype=torch.float64)
        return LawSource(GaussianMixture(means.float(), weights, sigma=0.2))
