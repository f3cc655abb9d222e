"""The nearest of some points, with who they are."""

from __future__ import annotations

import torch
from torch import Tensor

from trainables.measures.knn.trees import LOW_DIMENSION

__all__ = ["closest"]

_CPU_PAIRS, _CUDA_PAIRS = 1 << 22, 1 << 27
"""Distances that are held at a time."""
_PRODUCTS = 25
"""Dimension from which on distances are taken by products, which cost less and round more."""


def closest(queries: Tensor, reference: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Distances from each of ``queries`` (n, d) to its k nearest of ``reference`` (m, d), rising, and their places.

    (n, k) float64 and (n, k), k ≤ m. By a k-d tree on a CPU in d ≤ 3, O((n + m) log m); else by all distances in blocks
    of bounded memory, O(n·m·d). To look at, not to decide who lies in whose ball: products round.
    """
    if not 1 <= k <= len(reference):
        raise ValueError(f"of {len(reference)} points there are 1 to {len(reference)} nearest, got k={k}")
    if not queries.is_cuda and queries.shape[1] <= LOW_DIMENSION:
        from scipy.spatial import cKDTree  # here: whoever needs no trees needs no SciPy

        tree = cKDTree(reference.double().numpy(), balanced_tree=False, compact_nodes=False)
        distances, places = tree.query(queries.double().numpy(), k=list(range(1, k + 1)))
        return torch.from_numpy(distances), torch.from_numpy(places)
    centre = reference.mean(dim=0)  # products round by the size of what is multiplied
    x, y = (queries - centre).float(), (reference - centre).float()
    step = max(1, (_CUDA_PAIRS if x.is_cuda else _CPU_PAIRS) // len(y))
    found = [_distances(block, y).topk(k, dim=1, largest=False, sorted=True) for block in x.split(step)]
    if not found:
        return x.new_zeros(0, k).double(), torch.zeros(0, k, dtype=torch.int64, device=x.device)
    return torch.cat([near.values for near in found]).double(), torch.cat([near.indices for near in found])


def _distances(x: Tensor, y: Tensor) -> Tensor:
    """‖x_i - y_j‖, (n, d) and (m, d) → (n, m)."""
    if x.shape[1] > _PRODUCTS:
        return torch.cdist(x, y, compute_mode="use_mm_for_euclid_dist")
    if not x.is_cuda:
        return torch.cdist(x, y, compute_mode="donot_use_mm_for_euclid_dist")
    squared = x.new_zeros(len(x), len(y))  # torch gives every pair a block of the card, ten times as slow
    for axis in range(x.shape[1]):
        apart = x[:, None, axis] - y[None, :, axis]
        squared.addcmul_(apart, apart)
    return squared.sqrt_()
