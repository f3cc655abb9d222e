"""Hard and soft truncation of a Gaussian latent law: what is drawn, and the exact precision and recall it costs.

Instead of z ~ Q = N(0, I_d) the generator is fed z ~ Q̃ (thesis §2.1.4, figure 2.2). Hard: coordinates beyond ψ are
drawn again, q̃ ∝ q·1{|z_i| ≤ ψ}. Soft: the law is rescaled, Q̃ = N(0, ψ² I). Precision and recall depend on the ratio
q/q̃ alone, which an injective generator carries along unchanged, so the curves below are those of the images too.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from trainables.precision_recall.ceilings import latent_ball_mass
from trainables.precision_recall.curve import PRCurve
from trainables.precision_recall.exact import curve_discrete

__all__ = [
    "hard_curve",
    "hard_density",
    "hard_truncated",
    "kept_mass",
    "soft_curve",
    "soft_density",
    "soft_truncated",
]


def hard_truncated(uniform: Tensor, psi: float) -> Tensor:
    """z = Φ⁻¹(Φ(-ψ) + u (Φ(ψ) - Φ(-ψ))) from uniforms u of any shape: N(0, 1) drawn again until |z| ≤ ψ."""
    _check(psi)
    inside = math.erf(psi / math.sqrt(2))
    z: Tensor = torch.special.ndtri((1 - inside) / 2 + inside * uniform)
    return z


def soft_truncated(normal: Tensor, psi: float) -> Tensor:
    """ψ z for z ~ N(0, I), of any shape."""
    _check(psi)
    return psi * normal


def hard_density(z: Tensor, psi: float) -> Tensor:
    """q̃(z) = φ(z) 1{|z| ≤ ψ}/(2Φ(ψ) - 1) of one coordinate."""
    return torch.where(z.abs() <= psi, soft_density(z, 1.0) / kept_mass(psi, 1), 0.0)


def soft_density(z: Tensor, psi: float) -> Tensor:
    """q̃(z) = φ(z/ψ)/ψ of one coordinate; ψ = 1 truncates nothing."""
    _check(psi)
    return torch.exp(-((z / psi) ** 2) / 2) / (psi * math.sqrt(2 * math.pi))


def kept_mass(psi: float, dim: int) -> float:
    """Q([-ψ, ψ]^d) = (2Φ(ψ) - 1)^d: the share of latents that hard truncation leaves alone."""
    _check(psi)
    return float(math.erf(psi / math.sqrt(2)) ** dim)


def hard_curve(psi: float, dim: int, lambdas: Any) -> PRCurve:
    """The curve of Q̃ (as the model) against Q (as the data): precision 1, and recall the kept mass."""
    mass = kept_mass(psi, dim)
    return curve_discrete([mass, 1 - mass], [1.0, 0.0], lambdas)


def soft_curve(psi: float, dim: int, lambdas: Any, shells: int = 4000) -> PRCurve:
    """The curve of N(0, ψ²I) against N(0, I), both seen by their masses on thin shells ‖z‖ ∈ [s_i, s_{i+1}).

    q/q̃ is a function of ‖z‖, so shells lose nothing in the limit; the error falls as shells⁻².
    """
    _check(psi)
    edges = torch.linspace(0, (1 + psi) * (math.sqrt(dim) + 8), shells + 1, dtype=torch.float64)
    within = [latent_ball_mass(edges / scale, dim) for scale in (1.0, psi)]
    p, q = (torch.cat([ball.diff(), 1 - ball[-1:]]) for ball in within)
    return curve_discrete(p, q, lambdas)


def _check(psi: float) -> None:
    if not psi > 0:
        raise ValueError(f"the truncation ψ must be > 0, got {psi:g}; a large ψ truncates nothing")
