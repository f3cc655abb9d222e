"""Twenty-five Gaussians on a grid in the plane (Vérine 2024, C.2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.datasets.dataset import Dataset

if TYPE_CHECKING:
    from trainables.sources.law_source import LawSource

__all__ = ["Gaussians25"]


@dataclass(frozen=True)
class Gaussians25(Dataset):
    """A 5 × 5 grid in 2-D, one apart, σ = 0.1."""

    name: ClassVar[str] = "gaussians25"
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

        line = torch.arange(-2, 3, dtype=torch.float32)
        weights = torch.full((25,), 1 / 25, dtype=torch.float64)
        return LawSource(GaussianMixture(torch.cartesian_prod(line, line), weights, sigma=0.1))
