"""Upper bounds on the Lipschitz constant of a network, certified or not given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from trainables.training.stack import Stack

__all__ = ["product_bound", "spectral_norm"]


def product_bound(network: Stack, parameters: dict[str, Tensor]) -> Tensor | None:
    """(T,) the product of exact spectral norms; None where the network is not linear layers in a row."""
    if network.linear is None:
        return None
    return torch.stack([spectral_norm(parameters[name]) for name in network.linear]).prod(dim=0)


def spectral_norm(weight: Tensor) -> Tensor:
    """Largest singular values (T,) of (T, out, in); a diverged trial, which has no norm, must not stop the others."""
    norm: Tensor = torch.linalg.matrix_norm(weight.nan_to_num(posinf=0.0, neginf=0.0), ord=2)
    return norm
