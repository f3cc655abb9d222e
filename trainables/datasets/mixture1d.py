"""Three unequal Gaussians on a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.datasets.dataset import Dataset

if TYPE_CHECKING:
    from trainables.sources.law_source import LawSource

__all__ = ["Mixture1d"]


@dataclass(frozen=True)
class Mixture1d(Dataset):
    """3 modes of masses 0.5, 0.3, 0.2 on a line, two apart, σ = 0.25."""

    name: ClassVar[str] = "mixture1d"
    has_law: ClassVar[bool] = True

    @property
    def shape(self) -> tuple[int, ...]:
        """Points of the line."""
        return (1,)

    def source(self) -> LawSource:
        """Fresh samples of the mixture."""
        import torch

        from trainables.sources.law_source import LawSource
        from trainables.sources.mixture import GaussianMixture

        means = torch.tensor([[-2.0], [0.0], [2.0]])
        weights = torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64)
        return LawSource(GaussianMixture(means, weights, sigma=0.25))
