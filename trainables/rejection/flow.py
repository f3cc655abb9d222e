"""Discriminator gradient flow in the space of latents (Ansari, Ang & Soh 2021).

Of an entropic f-divergence between the law ρ of samples and that of the data μ, the gradient flow moves a sample along
-∇f′(ρ/μ), with ρ/μ = e^{-d} as the critic has it, and √(2ν) times Brownian motion. Here f is a function of ρ/μ:

    kl    f′(t) = 1 + log t          -∇f′ = ∇d
    js    f′(t) = log 2t/(1 + t)     -∇f′ = σ(d) ∇d
    logd  f′(t) = 1 + log(1 + t)     -∇f′ = σ(-d) ∇d
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

__all__ = ["SLOPES", "flowed"]

SLOPES: dict[str, Callable[[Tensor], Tensor]] = {
    "kl": torch.ones_like,
    "js": torch.sigmoid,
    "logd": lambda d: torch.sigmoid(-d),
}
"""s(d) with -∇f′(e^{-d}) = s(d) ∇d."""


def flowed(
    latent: Tensor,
    score_of: Callable[[Tensor], Tensor],
    normal: Callable[[int], Tensor],
    steps: int,
    divergence: str,
    rate: float,
    noise: float,
) -> Tensor:
    """z (T, m, *latent) after ``steps`` of z ← z + η s(d) ∇_z d(G(z)) + √(2νη) ξ, η = ``rate``, ν = ``noise``.

    ``score_of``: latents → d(G(z)), (T, m); ``normal``: a step → ξ. Each step costs a call of the generator, one of the
    critic and one of their gradient.
    """
    z = latent
    for step in range(steps):
        with torch.enable_grad():
            at = z.detach().requires_grad_()
            score = score_of(at)
            (uphill,) = torch.autograd.grad(score.sum(), at)
        weight = SLOPES[divergence](score.detach())
        weight = weight.reshape(weight.shape + (1,) * (z.ndim - 2))
        z = z + rate * weight * uphill
        if noise:
            z = z + (2 * noise * rate) ** 0.5 * normal(step)
    return z
