"""Distances from some points to their nearest neighbours among others."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from trainables.measures.knn.trees import LOW_DIMENSION

__all__ = ["nearest_distances"]

_CPU_PAIRS, _CUDA_PAIRS = 1 << 22, 1 << 28
"""Distances that are held at a time."""
_GROUP = 64
"""Values of a row that are looked at through their minimum first."""


def nearest_distances(queries: Tensor, reference: Tensor, ks: Sequence[int]) -> Tensor:
    """Distance from each row of ``queries`` (n, d) to its k-th nearest row of ``reference`` (m, d): (n, len(ks)).

    By a k-d tree on a CPU in d ≤ 3, O((n + m) log m); else by all distances in blocks of bounded memory, O(n·m·d).
    """
    if not 1 <= min(ks) <= max(ks) <= len(reference):
        raise ValueError(
            f"the k-th of {len(reference)} points needs 1 ≤ k ≤ {len(reference)}, got {', '.join(map(str, ks))}"
        )
    if queries.is_cuda or queries.shape[1] > LOW_DIMENSION:
        return _by_blocks(queries, reference, ks)
    from scipy.spatial import cKDTree  # here: whoever needs no trees needs no SciPy

    # Points of a generator lie where they lie: splits in the middle cost half of what medians do.
    tree = cKDTree(reference.double().numpy(), balanced_tree=False, compact_nodes=False)
    distances, _ = tree.query(queries.double().numpy(), k=list(ks))
    return torch.as_tensor(distances)


def _by_blocks(queries: Tensor, reference: Tensor, ks: Sequence[int]) -> Tensor:
    step = max(1, (_CUDA_PAIRS if queries.is_cuda else _CPU_PAIRS) // len(reference))
    columns = [k - 1 for k in ks]
    found = []
    for start in range(0, len(queries), step):
        block = queries[start : start + step]
        squared = block.new_zeros(len(block), len(reference))
        for axis in range(block.shape[1]):  # not by products: neighbours may be far closer than the origin
            apart = block[:, None, axis] - reference[None, :, axis]
            squared.addcmul_(apart, apart)
        nearest = _smallest(squared, max(ks), through_groups=squared.is_cuda)
        found.append(nearest[:, columns].double().sqrt())
    return torch.cat(found)


def _smallest(values: Tensor, count: int, through_groups: bool) -> Tensor:
    """The ``count`` smallest of every row of (n, m), rising: (n, count).

    A GPU looks at every value sixteen times for them. So rows are cut into groups: at most ``count`` have a minimum
    no larger than the count-th smallest value, hence the groups of the ``count`` smallest minima hold all that is
    looked for, and only they are searched.
    """
    n, m = values.shape
    groups = -(-m // _GROUP)
    if not through_groups or groups <= 2 * count:
        return values.topk(count, dim=1, largest=False, sorted=True).values
    padded = torch.nn.functional.pad(values, (0, groups * _GROUP - m), value=torch.inf)
    cut = padded.view(n, groups, _GROUP)
    chosen = cut.amin(dim=2).topk(count, dim=1, largest=False, sorted=False).indices
    few = cut.gather(1, chosen[:, :, None].expand(-1, -1, _GROUP)).flatten(1)
    return few.topk(count, dim=1, largest=False, sorted=True).values
