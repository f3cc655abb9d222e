"""Features with mean 0 and deviation 1 in every column, so that their offset and unit do not matter."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from trainables.measures.arrays import column_mean

__all__ = ["Standard"]


@dataclass(frozen=True, eq=False)
class Standard:
    """Mean and standard deviation of every column, (d,) each; the deviation is 1 where a column is constant."""

    mean: Tensor
    scale: Tensor

    @classmethod
    def of(cls, x: Tensor) -> Standard:
        """Of the rows of ``x`` (N, d)."""
        mean = column_mean(x).to(x)
        return cls(mean, _deviation(x - mean))

    def __call__(self, x: Tensor) -> Tensor:
        """(x - mean)/scale in float32, (n, d) → (n, d): only now, when offset and unit are gone."""
        return ((x - self.mean) / self.scale).float()


def _deviation(centred: Tensor) -> Tensor:
    """Standard deviation of every column of ``centred`` (N, d), 1 where it is 0; its squares stay in range."""
    largest = centred.abs().amax(dim=0)
    largest = torch.where(largest > 0, largest, torch.ones_like(largest))
    scale = largest * (centred / largest).std(dim=0, correction=0)
    return torch.where(scale > 0, scale, torch.ones_like(scale))
