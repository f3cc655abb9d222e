"""Weights with equal singular values, by the iteration of Björck & Bowie (1971)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from trainables.lipschitz.parts import Dense
from trainables.lipschitz.spectral import targets

if TYPE_CHECKING:
    from trainables.training.stack import Stack

__all__ = ["can_be_orthonormal", "orthonormal", "orthonormal_weights"]


def can_be_orthonormal(network: Stack) -> bool:
    """Whether the network is linear layers in a row."""
    parts = network.parts
    return parts is not None and bool(parts.parts) and all(isinstance(part, Dense) for part in parts.parts)


def orthonormal_weights(
    network: Stack, parameters: dict[str, Tensor], lipschitz: Tensor, iterations: int
) -> dict[str, Tensor]:
    """Parameters whose n weights are orthonormal, times L^{1/n}, for constants L (T,)."""
    due = targets(network)
    assert due is not None
    made = {
        name: orthonormal(parameters[name], iterations) * target.at(lipschitz)[:, None, None]
        for name, target in due.items()
    }
    return {**parameters, **made}


def orthonormal(weight: Tensor, iterations: int) -> Tensor:
    """(T, out, in) → the nearest matrices with orthonormal rows or columns, whichever are fewer.

    W ← W (3I - WᵀW)/2 maps a singular value s to s(3 - s²)/2: those in (0, 1] grow to 1 and never pass it. To begin
    with, W is divided by √(‖W‖₁ ‖W‖_∞) ≥ ‖W‖, held constant.
    """
    with torch.no_grad():
        size = weight.abs()
        above = (size.sum(dim=1).amax(dim=1) * size.sum(dim=2).amax(dim=1)).sqrt()
    wide = weight.shape[1] < weight.shape[2]
    found = (weight.mT if wide else weight) / above.clamp_min(1e-30)[:, None, None]  # columns are the fewer
    for _ in range(iterations):
        found = 1.5 * found - 0.5 * torch.bmm(found, torch.bmm(found.mT, found))
    return found.mT if wide else found
