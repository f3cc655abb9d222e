"""How far the rows of weights are from being orthogonal (Brock et al. 2019)."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["off_diagonal"]


def off_diagonal(weights: Tensor) -> Tensor:
    """‖W Wᵀ ∘ (1 - I)‖² of T weights (T, out, …), each as a matrix (out, rest) → (T,).

    Rows may have any length: only the angles between them count.
    """
    rows = weights.flatten(2)
    products = rows @ rows.transpose(-1, -2)
    apart = 1 - torch.eye(rows.shape[1], dtype=rows.dtype, device=rows.device)
    return (products * apart).square().sum((-2, -1))
