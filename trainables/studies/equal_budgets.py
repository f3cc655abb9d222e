"""Two ways of training beside each other at equal budget: means over seeds, paired differences, and refined laws.

Where the law of the data is known in the plane, samples are compared with it cell by cell: over a grid the masses of P
are exact, those of the model are frequencies, and D(P‖Q̃) of the cells is at most that of the laws.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from trainables.divergences import DIVERGENCES
from trainables.sources.mixture import GaussianMixture

__all__ = ["Summary", "binned_divergences", "cell_shares", "paired", "summary"]


@dataclass(frozen=True)
class Summary:
    """Mean over seeds and its standard error; NaN with a single seed."""

    mean: float
    error: float
    count: int

    def text(self, digits: int = 3, sign: bool = False) -> str:
        """``0.512 ± 0.004``; differences with their ``sign``, and one seed without an error."""
        mean = f"{self.mean:{'+' if sign else ''}.{digits}f}"
        return mean if self.count == 1 else f"{mean} ± {self.error:.{digits}f}"


def summary(values: Sequence[float]) -> Summary:
    """Of one number per seed: the error is s/√n, s² the unbiased variance."""
    count = len(values)
    if not count:
        raise ValueError("a summary needs at least one seed, got none")
    mean = math.fsum(values) / count
    if count == 1:
        return Summary(mean, math.nan, 1)
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    return Summary(mean, math.sqrt(variance / count), count)


def paired(values: Mapping[int, float], beside: Mapping[int, float]) -> Summary:
    """Of the differences value - beside, by seed: what seeds have in common is not in its error."""
    if values.keys() != beside.keys():
        raise ValueError(
            f"pairs need equal seeds on both sides, got {sorted(values)} and {sorted(beside)}; train both with each"
        )
    return summary([values[seed] - beside[seed] for seed in sorted(values)])


def cell_shares(law: GaussianMixture, x: Tensor, edges: Tensor) -> tuple[Tensor, Tensor]:
    """Masses of P and frequencies of points (n, 2), (cells + 1,) each in float64, the last of all that is outside.

    Cells are those of edges × edges, (b,) ascending; O(n log b + b²).
    """
    if x.ndim != 2 or x.shape[1] != 2 or not len(x):
        raise ValueError(f"cells are those of points in the plane, (n, 2) with n ≥ 1, got {tuple(x.shape)}")
    side = len(edges) - 1
    inside = law.cell_masses(edges).double().cpu()
    at = torch.bucketize(x.double(), edges.to(x.device).double(), right=True) - 1
    cell = torch.where(((at >= 0) & (at < side)).all(dim=1), at[:, 0] * side + at[:, 1], side**2)
    counts = torch.bincount(cell.cpu(), minlength=side**2 + 1).double()
    masses = torch.cat((inside, (1 - inside.sum()).clamp(min=0.0).unsqueeze(0)))
    return masses / masses.sum(), counts / len(x)


def binned_divergences(
    law: GaussianMixture, x: Tensor, names: Sequence[str] = ("js", "tv"), width: float = 0.5
) -> dict[str, float]:
    """Divergences of P from the law of points (n, 2), over cells as wide as ``width`` σ.

    Finite n adds about (occupied cells)/8n to Jensen-Shannon: sets that are compared should be of equal size.
    """
    low, high = law.span()
    cells = math.ceil((high - low) / (width * law.sigma))
    edges = torch.linspace(low, high, cells + 1, dtype=torch.float64)
    p, q = cell_shares(law.to("cpu"), x.detach().cpu(), edges)
    return {name: float(DIVERGENCES[name].discrete(p, q)) for name in names}
