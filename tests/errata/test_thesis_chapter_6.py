"""Thesis, chapter 6 and section 7.2.3: the budget of rejection, its training loss, diffusion."""

import math

import pytest
import torch
from torch import Tensor

from tests.errata.laws import fails, holds, legendre, over_pairs
from trainables.divergences import DIVERGENCES
from trainables.precision_recall import quadrature_masses
from trainables.rejection import budget_constant, obrs_acceptance, refine_obrs

KL = DIVERGENCES["kl"]


def bisect(ratios: Tensor, budget: float, scale: float) -> float:
    """Algorithm 5 with the loss Σ_i min(r_i c/M, 1)·scale - 1/K; scale is 1 as printed, 1/N corrected."""
    low, high, top = 1e-10, 1e10, float(ratios.max())
    for _ in range(200):
        middle = (low + high) / 2
        loss = scale * float((ratios * middle / top).clamp(max=1).sum()) - 1 / budget
        low, high = (low, middle) if loss > 0 else (middle, high)
    return (low + high) / 2 / top


@pytest.mark.parametrize("budget", [1.5, 2.0, 4.0])
def test_mean_in_algorithm_5(budget: float) -> None:
    """Algorithm 5 prints L(c) = Σ_i min(r_i c/M, 1) - 1/K; without 1/N the acceptance is 1/(NK)."""
    generator = torch.Generator().manual_seed(0)
    ratios = torch.randn(500, generator=generator, dtype=torch.float64).exp()
    corrected, printed = bisect(ratios, budget, 1 / len(ratios)), bisect(ratios, budget, 1.0)
    holds(math.exp(float(budget_constant(ratios.log(), budget))), corrected)
    holds(obrs_acceptance(ratios.log(), budget).mean(), 1 / budget)
    printed_rate = (ratios * printed).clamp(max=1).mean()
    holds(printed_rate, 1 / (len(ratios) * budget), 1e-6)
    fails(printed_rate, 1 / budget, 0.2)


@over_pairs
def test_multiplier_of_the_upper_bound(p: Tensor, q: Tensor) -> None:
    """Below (6.14): λ₁* = 0 is printed for every i; it is λ₂* (of a ≥ 0), as in appendix B. λ₁* > 0 where a = 1."""
    budget = 1.5
    a = refine_obrs(p, q, budget).acceptance
    slope = KL.f_prime(a * q * budget / p)  # f(u) = u log u in (6.12)
    free, clipped = a < 1 - 1e-9, a >= 1 - 1e-9
    assert bool(free.any())
    assert bool(clipped.any())
    mu = -budget * slope[free].mean()
    # First line of the conditions (B.73) with λ₂ = 0 gives λ₁.
    lambda_1 = -(budget * q * slope + mu * q)
    holds(lambda_1[free], 0.0)
    assert float(lambda_1[clipped].max()) > 1e-2  # printed: all zero
    assert float(lambda_1.min()) > -1e-9


@over_pairs
def test_budget_in_algorithm_7(p: Tensor, q: Tensor) -> None:
    """Step 3 prints E[a] ≤ 1/K, which accepting less and less satisfies; the loss of step 4 needs E[a] = 1/K."""
    budget = 2.0
    a = refine_obrs(p, q, budget).acceptance

    def loss(accepted: Tensor) -> Tensor:
        return (q * budget * accepted * KL.f(p / q / (budget * accepted))).sum()

    def truth(accepted: Tensor) -> Tensor:
        refined = q * accepted
        return KL.discrete(p, refined / refined.sum())

    holds((q * a).sum(), 1 / budget)
    holds(loss(a), truth(a))
    fewer = a / 10
    assert float((q * fewer).sum()) <= 1 / budget  # all that is printed
    fails(loss(fewer), truth(fewer), 0.5)


@pytest.mark.parametrize("swap", [False, True])
def test_diffusion_identity_of_section_7_2_3(swap: bool) -> None:
    """§7.2.3 prints D_f(P̂‖P) and ∇p_t - s; the identity is for D_f(P‖P̂), with ∇log p_t and λ(t) = ½g².

    Heat flow between Gaussians, f = KL: u f″(u) = 1, and every expectation is closed.
    """
    a, b = (3.0, 1.0) if swap else (1.0, 3.0)
    g, horizon = 1.3, 2.0

    def kl(first: float, second: float) -> float:
        return 0.5 * (first / second - 1 + math.log(second / first))

    time, step = legendre(40, 0.0, horizon)
    variance_p, variance_q = a + g**2 * time, b + g**2 * time
    error = (1 / variance_q - 1 / variance_p) ** 2 * variance_p
    integral = (step * 0.5 * g**2 * error).sum()
    holds(kl(a + g**2 * horizon, b + g**2 * horizon) + integral, kl(a, b))
    fails(kl(b + g**2 * horizon, a + g**2 * horizon) + integral, kl(b, a))  # D_f(P̂‖P) as printed


def test_score_in_section_7_2_3() -> None:
    """§7.2.3 compares s_θ with ∇p_t: a perfect model, s_θ = ∇log p_t, would still be charged."""
    x, step = legendre(60, -9.0, 9.0)
    law = torch.distributions.Normal(torch.tensor(0.0, dtype=torch.float64), 1.0)
    density = law.log_prob(x).exp()
    score = -x
    gradient = -x * density
    holds((step * density * (score - score) ** 2).sum(), 0.0)
    assert float((step * density * (gradient - score) ** 2).sum()) > 0.1  # printed, with P̂ = P


@over_pairs
def test_largest_ratio_after_rejection(p: Tensor, q: Tensor) -> None:
    """Proof of Lemma 6.3.1: sup log a/Z = log 1/Z is printed; it is ≤, with equality only if sup a = 1."""
    budget = 1.5 * float((p / q).max())  # beyond M nothing is accepted with certainty
    refined = refine_obrs(p, q, budget)
    largest = (refined.law / q).log().max()
    assert float(refined.acceptance.max()) < 0.7
    assert float(largest) <= -math.log(refined.rate)  # so P̃ is in B_K all the same
    fails(largest, -math.log(refined.rate))


def test_gan_divergence_seeks_one_mode() -> None:
    """§6.3.1: "because of the mode-covering property" P̂ covers only one mode; D_GAN is mode-seeking there."""

    def log_normal(x: Tensor, mean: float, sigma: float) -> Tensor:
        return -0.5 * ((x - mean) / sigma) ** 2 - math.log(sigma * math.sqrt(2 * math.pi))

    def mixture(x: Tensor) -> Tensor:
        return torch.logaddexp(log_normal(x, -3.0, 0.5), log_normal(x, 3.0, 0.5)) - math.log(2)

    def loss(mean: float, sigma: float) -> float:
        masses = quadrature_masses(mixture, lambda x: log_normal(x, mean, sigma), (-20.0, 20.0), 400)
        return float(DIVERGENCES["gan"].integrand(*masses).sum())

    seeking = min(loss(3.0, sigma) for sigma in (0.4, 0.5, 0.6, 0.8))
    covering = min(loss(0.0, sigma) for sigma in (1.5, 2.0, 2.5, 3.0, 3.5))
    assert seeking < covering - 0.05  # a mode-covering divergence would prefer the wide model
    kl_seeking, kl_covering = (
        float(KL.integrand(*quadrature_masses(mixture, model, (-20.0, 20.0), 400)).sum())
        for model in (lambda x: log_normal(x, 3.0, 0.5), lambda x: log_normal(x, 0.0, 3.0))
    )
    assert kl_covering < kl_seeking - 1.0  # as KL does
