"""Truncating latents by a budget: numbers of a standard normal law, carried over into the interval ±ψ."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["psi_of", "truncated"]


def psi_of(budget: float) -> float:
    """ψ with P(|z| ≤ ψ) = 1/K for z ~ N(0, 1): ∞ at K = 1."""
    half = torch.tensor(0.5 + 0.5 / budget, dtype=torch.float64)
    return float(torch.special.ndtri(half))


def truncated(latent: Tensor, budget: float) -> Tensor:
    """Φ⁻¹(½ + (Φ(z) - ½)/K) of every number: the law is that of z drawn again until |z| ≤ ψ, ψ = ``psi_of(K)``.

    Every number moves towards 0 and keeps its rank, so that samples change gradually with K; at K = 1 nothing moves.
    """
    if budget == 1:
        return latent
    centred = torch.special.erf(latent.double() / 2**0.5) / budget
    return (2**0.5 * torch.erfinv(centred)).to(latent.dtype)
