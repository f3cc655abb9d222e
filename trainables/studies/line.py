"""Quadrature on the line: laws as masses on nodes, so that every divergence of the family is a sum."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from trainables.rejection.obrs import obrs_acceptance
from trainables.sources.mixture import GaussianMixture

__all__ = ["Line", "density", "normal_log_density", "refined"]

LOWEST = -700.0
"""Log-densities are held above this, so that no mass underflows to 0 and turns a ratio into a limit."""


@dataclass(frozen=True, eq=False)
class Line:
    """Nodes x_i and weights w_i with ∫ g ≈ Σ w_i g(x_i): the trapezoid rule after x = c + s·sinh t.

    The rule converges faster than any power of 1/n for Gaussians. Where the integrand has a kink (TV, PR-λ)
    the error is of order (s/n)². Nodes are dense within `scale` of the centre and reach out to `reach`.
    """

    x: Tensor
    weights: Tensor

    @classmethod
    def around(cls, centre: float, scale: float, reach: float, nodes: int) -> Line:
        """The rule of an odd number of nodes on [centre - reach, centre + reach]."""
        if nodes < 3 or nodes % 2 == 0:
            raise ValueError(f"a quadrature on the line needs an odd number of nodes ≥ 3, got {nodes}")
        if not 0 < scale <= reach:
            raise ValueError(f"a quadrature needs 0 < scale ≤ reach, got scale {scale}, reach {reach}")
        end = math.asinh(reach / scale)
        t = torch.linspace(-end, end, nodes, dtype=torch.float64)
        step = 2 * end / (nodes - 1)
        return cls(x=centre + scale * torch.sinh(t), weights=step * scale * torch.cosh(t))

    def masses(self, log_density: Tensor) -> Tensor:
        """w_i e^{log p(x_i)}, shape (…, n), normalised so that it is a law: Σ = 1."""
        masses = self.weights * torch.exp(log_density.clamp(min=LOWEST))
        return masses / masses.sum(-1, keepdim=True)


def density(mixture: GaussianMixture, x: Tensor) -> Tensor:
    """log p(x) of a mixture on the line; x (n,), result (n,)."""
    if mixture.dim != 1:
        raise ValueError(f"a study on the line needs a mixture of dimension 1, got {mixture.dim}")
    return mixture.log_prob(x[:, None])


def normal_log_density(x: Tensor, mu: Tensor, sigma: Tensor) -> Tensor:
    """log N(x; μ, σ²); x (n,), μ and σ (B,), result (B, n)."""
    z = (x - mu[:, None]) / sigma[:, None]
    return -z.square() / 2 - torch.log(sigma)[:, None] - math.log(2 * math.pi) / 2


def refined(p: Tensor, q: Tensor, budget: float) -> Tensor:
    """The law of Q's samples kept by OBRS at budget K: q̃ ∝ q·min(c p/q, 1), E_Q[a] = 1/K (thesis 6.2.1).

    Shapes: p (n,) and q (…, n), positive masses; result (…, n).
    """
    if budget == 1:
        return q
    accepted = q * obrs_acceptance(torch.log(p) - torch.log(q), budget, q)
    return accepted / accepted.sum(-1, keepdim=True)
