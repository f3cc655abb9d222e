"""Thesis, chapter 5: activations and conjugates of critics, the primal estimate, the Bregman gap."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from tests.errata.laws import fails, holds, legendre, over_pairs
from trainables.divergences import (
    DIVERGENCES,
    bregman,
    dual_bound,
    pr,
    primal_error_bound,
    primal_estimate,
)
from trainables.precision_recall import RatioLaw

CHI2, GAN, KL, TV = (DIVERGENCES[name] for name in ("chi2", "gan", "kl", "tv"))


@over_pairs
def test_chi2_of_table_5_1(p: Tensor, q: Tensor) -> None:
    """Table 5.1 prints f* = ½t² + t on [-1, ∞[ and a = -1 + softplus, those of ½χ²; table 2.1 has χ²."""
    truth = CHI2.discrete(p, q)
    best = CHI2.optimal_critic(p / q)
    holds(dual_bound(CHI2, best, best, weights_real=p, weights_fake=q), truth)
    half = p / q - 1  # the maximiser of E_P[T] - E_P̂[½T² + T]
    printed = (p * half).sum() - (q * (half**2 / 2 + half)).sum()
    holds(printed, truth / 2)
    fails(printed, truth)
    low = torch.tensor(-60.0, dtype=torch.float64)
    holds(CHI2.activation(low), -2.0)  # onto [-2, ∞[
    fails(-1 + torch.nn.functional.softplus(low), -2.0)


@pytest.mark.parametrize("t", [-3.0, -1.0, -0.2])
def test_conjugate_of_gan(t: float) -> None:
    """Table 5.1 prints -log(1 - exp(-t)) on ]-∞, 0[, the logarithm of a negative number; exp has +t."""
    u = torch.linspace(1e-6, 40, 400_001, dtype=torch.float64)
    truth = (t * u - GAN.f(u)).max()
    at = torch.tensor(t, dtype=torch.float64)
    holds(GAN.conjugate(at), truth, 1e-6)
    fails(-torch.log(1 - torch.exp(-at)), truth)


@pytest.mark.parametrize("lam", [0.4, 2.5])
def test_conjugate_of_pr_from_total_variation(lam: float) -> None:
    """(5.7) prints f*_λ = λ f*_TV + max(λ-1, 0); by (4.3) the factor is 1/λ (and [0, λ] is dom f*_λ, not dom f_λ)."""
    t = torch.linspace(0.1, 0.4, 5, dtype=torch.float64) * min(1.0, lam)
    truth = pr(lam).conjugate(t)
    holds(TV.conjugate(t) / lam + max(lam - 1, 0), truth)
    fails(lam * TV.conjugate(t) + max(lam - 1, 0), truth)
    assert math.isfinite(
        float(pr(lam).f(torch.tensor(10 * lam, dtype=torch.float64)))
    )  # f_λ is finite beyond λ


@over_pairs
def test_primal_estimate_is_under_the_model(p: Tensor, q: Tensor) -> None:
    """(5.10) and (5.11) print ∫ p f(r); the divergence, and Algorithm 3, take the expectation under P̂."""
    for div in (KL, CHI2, pr(0.5), pr(2.0)):
        ratio = CHI2.ratio(CHI2.optimal_critic(p / q))
        truth = div.discrete(p, q)
        holds(primal_estimate(div, ratio=ratio, weights=q), truth)
        fails(primal_estimate(div, ratio=ratio, weights=p), truth)


@over_pairs
def test_order_of_the_bregman_gap(p: Tensor, q: Tensor) -> None:
    """(5.15), (5.22)-(5.24) print E_P̂[Breg_g(r̂, p/p̂)]; the true ratio comes first."""
    ratio = p / q
    estimate = ratio * torch.linspace(2.0, 4.0, len(p), dtype=torch.float64)
    for name in ("kl", "reverse_kl", "js", "hellinger"):  # for χ² Breg is symmetric and the order is unseen
        div = DIVERGENCES[name]
        critic = div.f_prime(estimate)
        gap = div.discrete(p, q) - dual_bound(div, critic, critic, weights_real=p, weights_fake=q)
        holds((q * bregman(div, ratio, estimate)).sum(), gap)
        fails((q * bregman(div, estimate, ratio)).sum(), gap)


def test_bregman_divergence_of_the_conjugate() -> None:
    """Before (5.22): Breg_g(a, b) = Breg_{g*}(a*, b*) is printed; the arguments change places."""
    a, b = torch.tensor([0.4, 2.0], dtype=torch.float64), torch.tensor([1.5, 0.7], dtype=torch.float64)
    dual_a, dual_b = KL.f_prime(a), KL.f_prime(b)

    def dual(s: Tensor, t: Tensor) -> Tensor:
        return KL.conjugate(s) - KL.conjugate(t) - KL.ratio(t) * (s - t)  # (f*)′ is the ratio

    holds(bregman(KL, a, b), dual(dual_b, dual_a))
    fails(bregman(KL, a, b), dual(dual_a, dual_b))


@over_pairs
def test_ratio_of_theorem_5_2_3(p: Tensor, q: Tensor) -> None:
    """Theorem 5.2.3 reads the ratio as r = ∇f*(T), with T trained for g; it is ∇g*(T), as in (5.9)."""
    critic = CHI2.optimal_critic(p / q)  # T for g = χ²
    holds(CHI2.ratio(critic), p / q)
    fails(KL.ratio(critic), p / q)  # ∇f* for f = KL
    error = (KL.discrete(p, q) - primal_estimate(KL, ratio=CHI2.ratio(critic), weights=q)).abs()
    assert float(error) <= primal_error_bound(1.0, 0.0, 2.0) + 1e-12


def log_normal(x: Tensor, mean: Tensor | float, log_sigma: Tensor) -> Tensor:
    return -0.5 * ((x - mean) / log_sigma.exp()) ** 2 - log_sigma - 0.5 * math.log(2 * math.pi)


def log_two_modes(x: Tensor) -> Tensor:
    """P: two equal Gaussians of deviation ½ at ±2."""
    spread = torch.tensor(math.log(0.5), dtype=torch.float64)
    return torch.logaddexp(log_normal(x, -2.0, spread), log_normal(x, 2.0, spread)) - math.log(2)


LINE, WIDTH = legendre(150, -15.0, 15.0)


def missing_precision(lam: float, mean: Tensor, log_sigma: Tensor) -> Tensor:
    """D_λ(P‖N(mean, sigma²)), by quadrature."""
    p, q = log_two_modes(LINE).exp(), log_normal(LINE, mean, log_sigma).exp()
    return min(lam, 1) - (WIDTH * torch.minimum(lam * p, q)).sum()


def descend(form: str, lam: float) -> float:
    """D_λ where 500 steps of Adam on one of three losses lead a Gaussian that starts at N(0.3, 1).

    `true` is D_λ itself. In the others the ratio is exact at every step, and frozen, as a critic is while G moves.
    """
    quantiles = (torch.arange(401, dtype=torch.float64) + 0.5) / 401
    latent = torch.distributions.Normal(0.0, 1.0).icdf(quantiles)
    model = torch.tensor([0.3, 0.0], dtype=torch.float64, requires_grad=True)  # mean, log σ
    optimiser = torch.optim.Adam([model], lr=0.05)
    for _ in range(500):
        mean, log_sigma = model
        if form == "true":
            loss = missing_precision(lam, mean, log_sigma)
        else:
            x = mean + log_sigma.exp() * latent
            ratio = (log_two_modes(x) - log_normal(x, mean.detach(), log_sigma.detach())).exp()
            loss = pr(lam).f(ratio).mean() if form == "printed" else -(lam * ratio).clamp(max=1).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    with torch.no_grad():
        return float(missing_precision(lam, *model))


@pytest.mark.parametrize("lam", [1.0, 2.0, 5.0])
def test_generator_loss_of_algorithm_3(lam: float) -> None:
    """Algorithm 3 descends E_P̂[f_λ(r̂)] with r̂ frozen. As a value it is D_λ, as a loss it drives D_λ to its maximum.

    f_λ(r) = λr - min(λr, 1) + const, and E_P̂[r] = 1 only for as long as the ratio follows the model: frozen, its
    gradient pushes points with λr > 1 away from the data. Ascent on E_P̂[min(λr̂, 1)] ends where descent on D_λ does.
    """
    best = descend("true", lam)
    assert best < 0.6
    assert descend("printed", lam) >= 0.99
    holds(descend("corrected", lam), best, 0.01)


@over_pairs
def test_area_below_the_curve(p: Tensor, q: Tensor) -> None:
    """(5.34) prints AUC = ∫ α_λ²/λ² dλ; in polar coordinates the area is half of it, 1 for P̂ = P."""
    angle, step = legendre(4000, 0.0, math.pi / 2)
    lam = angle.tan()
    for model, area in ((q, float(RatioLaw.from_masses(p, q).auc())), (p, 1.0)):
        recall = RatioLaw.from_masses(p, model).beta(lam)  # α_λ/λ
        printed = (step * (1 + lam**2) * recall**2).sum()
        holds(printed / 2, area, 1e-5)
        fails(printed, area, 0.3)


def test_hellinger_is_no_bregman_divergence() -> None:
    """After (5.14): a Bregman divergence "can be equal to … the squared Hellinger distance"; none is.

    The second derivative of Breg_g(x, y) in x is g″(x), whatever y. That of (√x - √y)² is ½√y x^{-3/2}.
    """
    x = torch.linspace(0.5, 2.0, 7, dtype=torch.float64, requires_grad=True)

    def second(divergence: Callable[[Tensor, float], Tensor], y: float) -> Tensor:
        (slope,) = torch.autograd.grad(divergence(x, y).sum(), x, create_graph=True)
        return torch.autograd.grad(slope.sum(), x)[0]

    listed: dict[str, Callable[[Tensor, float], Tensor]] = {
        "squared distance": lambda a, b: (a - b) ** 2,
        "KL": lambda a, b: a * (a / b).log() - a + b,
    }
    for divergence in listed.values():
        holds(second(divergence, 0.5), second(divergence, 2.0))
    fails(
        second(lambda a, b: (a.sqrt() - math.sqrt(b)) ** 2, 0.5),
        second(lambda a, b: (a.sqrt() - math.sqrt(b)) ** 2, 2.0),
    )
