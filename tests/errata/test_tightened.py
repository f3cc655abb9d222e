"""Bounds that are right as printed and can be made sharper at no cost."""

import math

import pytest
import torch
from torch import Tensor

from tests.errata.laws import over_pairs
from trainables.divergences import DIVERGENCES, pr_divergence
from trainables.precision_recall import (
    forward_bound,
    inverse_bound,
    latent_ball_mass,
    quadrature_masses,
)
from trainables.rejection import guaranteed_improvement, refine_obrs

STANDARD = torch.distributions.Normal(torch.tensor(0.0, dtype=torch.float64), 1.0)
RADII = torch.linspace(0.01, 12, 2400, dtype=torch.float64)


def two_modes(x: Tensor) -> Tensor:
    """log-density of an even mixture of N(±4, ½²)."""
    modes = torch.stack([_log_normal(x, -4.0, 0.5), _log_normal(x, 4.0, 0.5)])
    return modes.logsumexp(0) - math.log(2)


def _log_normal(x: Tensor, mean: float, sigma: float) -> Tensor:
    return -0.5 * ((x - mean) / sigma) ** 2 - math.log(sigma * math.sqrt(2 * math.pi))


@pytest.mark.parametrize("lam", [1.5, 2.0, 4.0])
def test_forward_ceiling(lam: float) -> None:
    """(4.41) subtracts |λ-1|; (1-λ)₊ is enough: for λ ≥ 1, D_λ ≥ P̂(A) - λP(A) for every A, without a loss."""
    p, q = quadrature_masses(two_modes, STANDARD.log_prob, (-12.0, 12.0), 800)  # G(z) = z: L = 1, m = 1
    truth = float(pr_divergence(p, q, lam))
    inside = STANDARD.cdf((RADII - 4) / 0.5) - STANDARD.cdf((-RADII - 4) / 0.5)  # P(ball(0, R)), by symmetry
    gap = float((latent_ball_mass(RADII, 1) - lam * inside).max())
    sharper, printed = gap - max(1 - lam, 0), gap - abs(lam - 1)
    assert printed <= sharper <= truth + 1e-6
    assert sharper > printed + 0.4
    quantiles = 4 + 0.5 * STANDARD.icdf((torch.arange(1000, dtype=torch.float64) + 0.5) / 1000)
    samples = torch.cat([-quantiles, quantiles]).unsqueeze(-1)
    ours = float(forward_bound(samples, torch.zeros(1), 1.0, 1, [lam])[0])
    assert abs(ours - sharper) < 1e-2


@pytest.mark.parametrize("lam", [0.3, 0.6])
def test_inverse_ceiling(lam: float) -> None:
    """(A.3) subtracts |λ-1|; (λ-1)₊ is enough: for λ ≤ 1, D_λ ≥ λP(A) - P̂(A) for every A."""
    p, q = quadrature_masses(lambda x: _log_normal(x, 0.0, 0.1), STANDARD.log_prob, (-9.0, 9.0), 2000)
    truth = float(pr_divergence(p, q, lam))
    gap = float(
        (lam * (2 * STANDARD.cdf(RADII / 0.1) - 1) - latent_ball_mass(RADII, 1)).max()
    )  # x = 0, L₂ = 1
    sharper, printed = gap - max(lam - 1, 0), gap - abs(lam - 1)
    assert printed <= sharper <= truth + 1e-6
    assert sharper > printed + 0.3
    quantiles = 0.1 * STANDARD.icdf((torch.arange(501, dtype=torch.float64) + 0.5) / 501)
    centred = torch.cat([quantiles[250:251], quantiles[:250], quantiles[251:]]).unsqueeze(-1)  # x = 0 first
    ours = float(inverse_bound(centred, 1.0, 1, [lam], centres=1)[0])
    assert abs(ours - sharper) < 1e-2


@over_pairs
def test_guaranteed_improvement_of_rejection(p: Tensor, q: Tensor) -> None:
    """(6.20) promises γ = min(1, (K-1)/M); the proof's condition γ(r-1) ≤ K-1 allows (K-1)/(M-1)."""
    largest, budget = float((p / q).max()), 1.4
    sharper, printed = guaranteed_improvement(p, q, budget), min(1.0, (budget - 1) / largest)
    assert abs(sharper - min(1.0, (budget - 1) / (largest - 1))) < 1e-12
    assert sharper > 1.05 * printed
    refined = refine_obrs(p, q, budget).law
    for name in ("kl", "reverse_kl", "tv", "js", "chi2", "hellinger"):
        div = DIVERGENCES[name]
        before, after = float(div.discrete(p, q)), float(div.discrete(p, refined))
        assert after <= (1 - sharper) * before + 1e-12
        assert (1 - sharper) * before < (1 - printed) * before
