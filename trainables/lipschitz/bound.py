"""Upper bounds on the Lipschitz constant of a network, certified or not given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from trainables.training.stack import Stack

__all__ = ["norm_from_above", "product_bound", "spectral_norm"]

_SQUARINGS = 26


def product_bound(network: Stack, parameters: dict[str, Tensor]) -> Tensor | None:
    """(T,) the product of exact spectral norms; None where the network is not linear layers in a row."""
    if network.linear is None:
        return None
    return torch.stack([spectral_norm(parameters[name]) for name in network.linear]).prod(dim=0)


def spectral_norm(weight: Tensor) -> Tensor:
    """Largest singular values (T,) of (T, out, in); a diverged trial, which has no norm, must not stop the others."""
    finite = weight.nan_to_num(posinf=0.0, neginf=0.0)
    if weight.is_cuda:
        return norm_from_above(finite)
    norm: Tensor = torch.linalg.matrix_norm(finite, ord=2)
    return norm


def norm_from_above(weight: Tensor) -> Tensor:
    """‖W‖ (T,) of (T, out, in) by products alone, from above: a card takes its singular values one matrix at a time.

    With G = WᵀW, ‖W‖² = ρ(G) ≤ ‖G^m‖_F^{1/m} ≤ n^{1/2m} ρ(G). G is squared again and again, kept at norm 1 with the
    logarithm of its scale beside it; for m = 2^26 and n = 4096 what is too much is 3e-8 of the norm.
    """
    gram = (weight.mT if weight.shape[1] < weight.shape[2] else weight).double()
    gram = gram.mT @ gram
    log_scale = torch.zeros(len(gram), dtype=torch.float64, device=gram.device)
    for power in range(_SQUARINGS + 1):
        norm = torch.linalg.matrix_norm(gram)
        log_scale += norm.log() / 2**power
        gram = gram / norm.clamp_min(torch.finfo(torch.float64).tiny)[:, None, None]
        if power < _SQUARINGS:
            gram = gram @ gram
    return (log_scale / 2).exp().to(weight.dtype)
