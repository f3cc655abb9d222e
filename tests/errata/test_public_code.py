"""Consequences of choices in the public code behind the papers."""

import math

import pytest
import torch

from tests.errata.laws import fails, holds, over_pairs
from trainables.divergences import DIVERGENCES, pr_f
from trainables.precision_recall import RatioLaw, f_score
from trainables.rejection import refine_drs

CHI2 = DIVERGENCES["chi2"]


def test_clamped_critic_caps_the_ratio() -> None:
    """T clamped to [-2, 5]: r̂ = T/2 + 1 ≤ 3.5, so every λ ≤ 2/7 trains the same loss up to scale."""
    logits = torch.linspace(-8, 40, 200, dtype=torch.float64)
    free = CHI2.ratio(CHI2.activation(logits))
    clamped = CHI2.ratio(CHI2.activation(logits).clamp(-2, 5))
    holds(clamped.max(), 3.5)
    small, smaller = 0.25, 0.1

    def gain(ratio: torch.Tensor, lam: float) -> torch.Tensor:
        return (lam * ratio).clamp(max=1) / lam  # E_Q[min(λr̂, 1)], up to scale

    holds(gain(clamped, small), gain(clamped, smaller))
    holds(pr_f(clamped, small), 0.0)  # f_λ is flat: no gradient at all in the max form
    fails(gain(free, small), gain(free, smaller))


def test_half_activation_with_full_conjugate() -> None:
    """-1 + softplus(w), the activation of ½χ², read by χ²'s conjugate: r̂ = T/2 + 1 stays above ½."""
    logits = torch.linspace(-40, 40, 400, dtype=torch.float64)
    matched = CHI2.ratio(CHI2.activation(logits))
    mixed = CHI2.ratio(torch.nn.functional.softplus(logits) - 1)
    assert float(matched.min()) < 1e-6
    assert float(mixed.min()) >= 0.5


@over_pairs
def test_two_calibrations_in_discriminator_rejection(p: torch.Tensor, q: torch.Tensor) -> None:
    """DRS in its logarithmic form, with M from one calibration of r and r from another: NaN where r > M."""
    refined = refine_drs(p, q, 1.5)
    log_r = (p / q).log()

    def accept(log_ratio: torch.Tensor, log_largest: torch.Tensor) -> torch.Tensor:
        relative = log_ratio - log_largest
        inner = relative - torch.log(-torch.expm1(relative)) - refined.constant
        return torch.sigmoid(inner)

    below = log_r < log_r.max()  # at r = M the logarithmic form is +∞, accepted with certainty
    holds(accept(log_r, log_r.max())[below], refined.acceptance[below], 1e-7)
    assert not bool(accept(log_r, log_r.max()).isnan().any())
    assert bool(accept(log_r + math.log(2), log_r.max()).isnan().any())


@pytest.mark.parametrize("noise", [0.3, 0.6])
def test_swapped_f_scores(noise: float) -> None:
    """F_8 reported as precision and F_{1/8} as recall: F_s weighs recall when s > 1."""
    p = torch.tensor([1.0, 0.0], dtype=torch.float64)
    q = torch.tensor([1 - noise, noise], dtype=torch.float64)  # recall 1, precision 1 - noise
    law = RatioLaw.from_masses(p, q)
    holds(law.f_max(8), 1.0, 0.05)
    holds(law.f_max(1 / 8), 1 - noise, 0.05)
    fails(law.f_max(8), 1 - noise, 0.2)
    assert float(f_score(0.1, 0.9, 8)) > float(f_score(0.9, 0.1, 8)) + 0.5
