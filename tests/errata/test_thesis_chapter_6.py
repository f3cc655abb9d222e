"""Thesis, chapter 6 and section 7.2.3: the budget of rejection, its training loss, diffusion."""

import math

import pytest
import torch
from torch import Tensor

from tests.errata.laws import fails, holds, legendre, over_pairs
from tests.trainables.objectives.gaussian_pair import LINE, Pair, masses
from trainables.divergences import DIVERGENCES
from trainables.objectives.obrs import Obrs
from trainables.precision_recall import quadrature_masses
from trainables.rejection import budget_constant, obrs_acceptance, refine_drs, refine_obrs
from trainables.studies.line import refined

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


@over_pairs
def test_constant_after_6_16(p: Tensor, q: Tensor) -> None:
    """After (6.16): ∇f*(-μ*/K)/K = c_K is printed; with the c_K of (6.11) and (6.18) it is c_K/M."""
    budget = 1.5
    refined = refine_obrs(p, q, budget)
    free = refined.acceptance < 1 - 1e-9
    mu = -budget * KL.f_prime(refined.acceptance * q * budget / p)[free].mean()  # stationarity where a < 1
    largest = float((p / q).max())
    constant = largest * math.exp(refined.constant)
    holds((p / q * constant / largest).clamp(max=1), refined.acceptance)  # (6.11)
    holds(KL.ratio(-mu / budget) / budget, constant / largest)  # ∇f* is the ratio map
    fails(KL.ratio(-mu / budget) / budget, constant)


@over_pairs
def test_metropolis_hastings_keeps_a_sample_of_the_data(p: Tensor, q: Tensor) -> None:
    """§6.1.3: MH-GAN compares K samples "to keep only the best"; its chain tends to P, the best of K to one point."""
    ratio = p / q
    move = q * torch.minimum(torch.ones(()), ratio / ratio[:, None])  # (6.8), from row to column
    move = move - move.diag().diag() + (1 - move.sum(1) + move.diag()).diag()
    holds(move.sum(1), torch.ones_like(p))
    length = 200
    holds(q @ torch.linalg.matrix_power(move, length), p, 1e-6)
    order = ratio.argsort()
    below = torch.cat((torch.zeros(1, dtype=torch.float64), q[order].cumsum(0)))
    best = (below[1:] ** length - below[:-1] ** length)[
        order.argsort()
    ]  # law of the draw with the largest ratio
    holds(best.sum(), 1.0)
    fails(best, p, 0.2)


@over_pairs
def test_budget_is_one_over_the_rate(p: Tensor, q: Tensor) -> None:
    """§6.1.3: "in DRS, the acceptance rate is the expected budget per sample"; the budget is its inverse."""
    rate = refine_drs(p, q, 1.5).rate
    draws = torch.arange(1, 5000, dtype=torch.float64)
    expected = (draws * rate * (1 - rate) ** (draws - 1)).sum()  # mean number of draws until one is kept
    holds(expected, 1 / rate)
    fails(expected, rate, 0.2)


@pytest.mark.parametrize(("name", "low"), [("chi2", -2.0), ("tv", -0.5)])
def test_conjugates_need_not_increase_strictly(name: str, low: float) -> None:
    """Below (6.14), and after (B.75), every f* is said to increase strictly; below f′(0) it is constant."""
    conjugate = DIVERGENCES[name].conjugate
    t = torch.linspace(low - 4, low, 9, dtype=torch.float64)
    holds(conjugate(t), conjugate(t[-1]))  # printed: nine different values
    above = torch.linspace(low, 0.5, 30, dtype=torch.float64)
    assert bool((conjugate(above).diff() > 0).all())
    for div in DIVERGENCES.values():  # what is true of every one
        values = div.conjugate(torch.linspace(-6, 0.4, 200, dtype=torch.float64))
        assert bool((values[torch.isfinite(values)].diff() >= -1e-15).all())


@pytest.mark.parametrize(("name", "budget", "m", "s"), [("chi2", 2.0, 0.6, 1.0), ("gan", 1.3, 0.4, 1.15)])
def test_generator_loss_of_algorithm_7(name: str, budget: float, m: float, s: float) -> None:
    """Algorithm 7 descends E_P̂[K a f(r̂/Ka)] with r̂ frozen: of χ² that leads uphill, of D_GAN it turns σ the wrong way.

    As a value it is D_f(P‖P̃). Frozen, it changes with every multiple of u - 1 in f, of which no divergence knows.
    -K E_P̂[f*(f′(max(r̂, 1/c)/K))] descends: a sample that may be rejected adds nothing.
    """
    div, pair = DIVERGENCES[name], Pair(m, s)
    p, q = masses(), masses(m, s)
    log_c = budget_constant((p / q).log(), budget, q)
    exact = pair.slope(lambda m, s: float(div.discrete(p, refined(p, masses(m, s), budget))))
    place = torch.tensor([m, s], dtype=torch.float64, requires_grad=True)
    ratio = pair.log_ratio(place[0] + place[1] * LINE.x).exp().clamp(min=1e-30)
    kept = (ratio * log_c.exp()).clamp(max=1)
    (printed,) = torch.autograd.grad((masses() * budget * kept * div.f(ratio / (budget * kept))).sum(), place)
    columns = {"budget": budget, "delay": 0.0, "progress": 1.0, "memory": log_c}
    member = Obrs(divergence=name)  # type: ignore[arg-type]
    corrected = pair.pull(member, lambda w: div.optimal_logit(w.clamp(-60, 60).exp()), **columns)
    holds(corrected, exact, 1e-3)
    fails(printed, exact)
    assert float(printed[1]) * float(exact[1]) < 0
    assert name != "chi2" or float(printed @ exact) < 0  # uphill altogether
