"""Sorting in pairs: an activation that loses no gradient (Anil, Lucas & Grosse 2019, MaxMin)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["GroupSort", "with_groupsort"]


class GroupSort(nn.Module):
    """(x₁, x₂, …) → (max(x₁, x₂), min(x₁, x₂), …) along dimension 1; the last of an odd number stays as it is.

    Locally a permutation: its Jacobian is orthogonal, and its Lipschitz constant 1.
    """

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) or (n, channels, height, width), of the same shape."""
        pairs = x.shape[1] // 2
        first, second = x[:, : 2 * pairs : 2], x[:, 1 : 2 * pairs : 2]
        sorted_pairs = torch.stack((torch.maximum(first, second), torch.minimum(first, second)), dim=2)
        return torch.cat((sorted_pairs.flatten(1, 2), x[:, 2 * pairs :]), dim=1)


def with_groupsort(module: nn.Module) -> nn.Module:
    """The module with its ReLUs, leaky or not, replaced in place, at any depth."""
    for name, child in module.named_children():
        if type(child) in (nn.ReLU, nn.LeakyReLU):
            setattr(module, name, GroupSort())
        else:
            with_groupsort(child)
    return module
