"""Histograms over k-means clusters of one real set with each of many generated ones, all clustered at once.

``trainables.measures.kmeans`` searches one union well, for a metric. Here a pack of small unions is searched cheaply,
for a picture: plain k-means++, few steps, every step one batched product for all sets and runs.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

__all__ = ["packed_histograms"]

STEPS = 6
"""Steps of Lloyd's algorithm after k-means++, which is most of the way."""
_NUMBERS = 1 << 25
"""Numbers of the samples that are clustered at a time."""

_Counts = NDArray[np.int64]


def packed_histograms(
    real: Tensor, fakes: Tensor, clusters: int, runs: int, seed: int = 0
) -> tuple[_Counts, _Counts]:
    """Counts (B, runs, clusters) of real (N, d) and of each of fakes (B, M, d) in clusters of the union of these two.

    Every union meets the same random numbers: what is found of one does not depend on the others.
    O(B·(N+M)·d·clusters·runs) a step.
    """
    if not 1 <= clusters <= len(real) + fakes.shape[1]:
        raise ValueError(
            f"clusters must lie between 1 and the number of samples {len(real) + fakes.shape[1]}, got {clusters}"
        )
    draws = torch.from_numpy(np.random.default_rng(seed).random((clusters, runs))).to(real.device)
    step = max(1, _NUMBERS // ((len(real) + fakes.shape[1]) * max(real.shape[1], runs * clusters)))
    parts = [_histograms(real, some, draws.float()) for some in fakes.split(step)]
    of_real, of_fake = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
    return of_real, of_fake


def _histograms(real: Tensor, fakes: Tensor, draws: Tensor) -> tuple[_Counts, _Counts]:
    centre = real.mean(dim=0)
    scale = (real - centre).abs().amax().clamp(min=torch.finfo(real.dtype).tiny)
    x = ((torch.cat([real.expand(len(fakes), -1, -1), fakes], dim=1) - centre) / scale).float()
    clusters, runs = draws.shape
    labels = _clustered(x, draws)  # (B, n, runs)
    cells = labels + clusters * torch.arange(runs, device=x.device)
    sides = []
    for part in (cells[:, : len(real)], cells[:, len(real) :]):
        counts = torch.zeros(len(x), runs * clusters, dtype=torch.int64, device=x.device)
        counts.scatter_add_(1, part.flatten(1), torch.ones_like(part.flatten(1)))
        sides.append(counts.view(len(x), runs, clusters).cpu().numpy())
    return sides[0], sides[1]


def _clustered(x: Tensor, draws: Tensor) -> Tensor:
    """Nearest centre of every run, (B, n, d) → (B, n, runs)."""
    clusters, runs = draws.shape
    norms = x.square().sum(dim=2)
    centres = _plus_plus(x, norms, draws)  # (B, runs * clusters, d)
    labels = _assigned(x, centres, runs)
    offset = clusters * torch.arange(runs, device=x.device)
    for _ in range(STEPS):
        indicator = x.new_zeros(len(x), x.shape[1], runs * clusters)
        indicator.scatter_(2, labels + offset, 1.0)
        sizes = indicator.sum(dim=1).unsqueeze(2)
        means = torch.bmm(indicator.transpose(1, 2), x) / sizes.clamp(min=1)
        centres = torch.where(sizes > 0, means, centres)  # an empty cluster stays where it is
        moved = _assigned(x, centres, runs)
        if torch.equal(moved, labels):
            break
        labels = moved
    return labels


def _assigned(x: Tensor, centres: Tensor, runs: int) -> Tensor:
    """‖x - c‖² but for ‖x‖², which all centres share; (B, n, d) and (B, runs · clusters, d) → (B, n, runs)."""
    bias = centres.square().sum(dim=2).unsqueeze(1)
    squared = torch.baddbmm(bias, x, centres.transpose(1, 2), alpha=-2)
    # ``argmin`` along few columns takes half as long again on a CPU.
    return squared.view(len(x), -1, runs, centres.shape[1] // runs).min(dim=3).indices


def _plus_plus(x: Tensor, norms: Tensor, draws: Tensor) -> Tensor:
    """k-means++ (Arthur & Vassilvitskii 2007): the next centre ∝ squared distance to those there are."""
    count, n, d = x.shape
    clusters, runs = draws.shape
    weights = x.new_ones(count, runs, n)
    nearest = x.new_full((count, runs, n), torch.inf)
    chosen = []
    for step in range(clusters):
        summed = weights.cumsum(dim=2)
        target = (draws[step] * summed[:, :, -1]).unsqueeze(2)
        place = torch.searchsorted(summed, target, right=True).clamp(max=n - 1)  # (B, runs, 1)
        centre = x.gather(1, place.expand(-1, -1, d))  # (B, runs, d)
        chosen.append(centre)
        bias = centre.square().sum(dim=2, keepdim=True)
        squared = (
            torch.baddbmm(bias, centre, x.transpose(1, 2), alpha=-2).add_(norms.unsqueeze(1)).clamp_(min=0)
        )
        nearest = torch.minimum(nearest, squared)
        weights = nearest
    return torch.stack(chosen, dim=2).flatten(1, 2)
