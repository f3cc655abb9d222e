"""Thesis, chapter 4: the PR-divergence, its link to curves, weights over λ, the cover limit."""

import math

import pytest
import torch
from torch import Tensor

from tests.errata.laws import fails, holds, legendre, over_pairs, precision_at, random_pairs, recall_at
from trainables.divergences import DIVERGENCES, pr, pr_divergence, rebuild, weight
from trainables.precision_recall import (
    RatioLaw,
    cover_on_the_line,
    curve_discrete,
    latent_ball_mass,
    quadrature_masses,
)

LAMBDAS = [0.4, 0.75, 1.5, 3.0]


def normal_log_density(mean: float, sigma: float) -> torch.distributions.Normal:
    return torch.distributions.Normal(
        torch.tensor(mean, dtype=torch.float64), torch.tensor(sigma, dtype=torch.float64)
    )


@over_pairs
def test_expectation_in_section_4_1(p: Tensor, q: Tensor) -> None:
    """§4.1 prints D_f = E_{P̂}[p̂ f(p/p̂)]; the density p̂ is counted twice."""
    kl = DIVERGENCES["kl"]
    truth = kl.discrete(p, q)
    holds((q * kl.f(p / q)).sum(), truth)
    fails((q * (q * kl.f(p / q))).sum(), truth)


def test_mode_seeking_favours_quality() -> None:
    """§4.1 says a narrow model on one mode "promot[es] diversity"; it has the higher precision, lower recall."""
    left, right = normal_log_density(-2, 0.5), normal_log_density(2, 0.5)

    def mixture(x: Tensor) -> Tensor:
        return torch.logaddexp(left.log_prob(x), right.log_prob(x)) - math.log(2)

    seeking, covering = normal_log_density(2, 0.5), normal_log_density(0, 2.1)
    scores = {}
    for name, model in (("seeking", seeking), ("covering", covering)):
        law = RatioLaw.from_masses(*quadrature_masses(mixture, model.log_prob, (-12.0, 12.0), 600))
        scores[name] = float(law.f_max(1 / 8)), float(law.f_max(8))
    (sharp_precision, sharp_recall), (wide_precision, wide_recall) = scores["seeking"], scores["covering"]
    assert sharp_precision > wide_precision + 0.1
    assert sharp_recall < wide_recall - 0.1  # printed: the narrow model is the diverse one


def test_what_reverse_kl_avoids() -> None:
    """§4.1 says reverse KL reduces the points where p/p̂ > 1; its f is positive, and steep, where p/p̂ < 1."""
    f = DIVERGENCES["reverse_kl"].f
    below, above = f(torch.tensor([0.05, 0.2, 0.5])), f(torch.tensor([2.0, 5.0, 20.0]))
    assert float(below.min()) > 0.5
    assert float(above.max()) < -0.5  # ratios above 1 lower the divergence, they are not avoided


@pytest.mark.parametrize("lam", [0.4, 1.0, 2.5])
def test_conjugate_of_pr_below_zero(lam: float) -> None:
    """(4.3), (B.7) end dom f* at 0; sup over u ≥ 0 is finite for t < 0: f*(t) = max(λ,1) - 1."""
    u = torch.linspace(0, 20, 20001, dtype=torch.float64)
    for t in (-3.0, -0.5):
        truth = (t * u - pr(lam).f(u)).max()
        assert math.isfinite(float(truth))  # printed: outside the domain, that is +∞
        holds(pr(lam).conjugate(torch.tensor(t, dtype=torch.float64)), truth)
        fails(math.inf, truth)


@over_pairs
def test_pr_divergence_at_one(p: Tensor, q: Tensor) -> None:
    """(4.6) prints D_1 = TV/2; with TV = ½∫|p - p̂| of table 2.1 and (4.33), D_1 = TV ((B.18) drops the ½)."""
    total_variation = (p - q).abs().sum() / 2
    holds(DIVERGENCES["tv"].discrete(p, q), total_variation)
    holds(pr_divergence(p, q, 1.0), total_variation)
    fails(pr_divergence(p, q, 1.0), total_variation / 2)


@over_pairs
def test_recall_from_the_pr_divergence(p: Tensor, q: Tensor) -> None:
    """(4.8) prints β_λ = min(1,λ) - D_λ(P̂‖P); it is min(1,1/λ) - D_{1/λ}(P̂‖P)."""
    for lam in LAMBDAS:
        truth = recall_at(p, q, lam)
        holds(min(1, 1 / lam) - pr_divergence(q, p, 1 / lam), truth)
        fails(min(1, lam) - pr_divergence(q, p, lam), truth)


@pytest.mark.parametrize("name", ["reverse_kl", "js", "chi2"])
def test_minimising_maximises_the_weighted_curve(name: str) -> None:
    """(4.15) prints arg min D_f = arg min ∫ w α_λ; it is the arg max (of ∫ w (α_λ - min(1,λ)), which converges)."""
    p = torch.tensor([0.2, 0.3, 0.5], dtype=torch.float64)
    models = [q for _, q in random_pairs(12, atoms=3, seed=2)]
    div = DIVERGENCES[name]
    divergence = torch.stack([div.discrete(p, q) for q in models])
    log_lam, step = legendre(1500, -7.0, 7.0)
    lam = log_lam.exp()
    weighted = torch.stack(
        [(step * lam * weight(div, lam) * (_alpha(p, q, lam) - lam.clamp(max=1.0))).sum() for q in models]
    )
    holds(-weighted, divergence, 1e-5)
    assert int(divergence.argmin()) == int(weighted.argmax())
    assert int(divergence.argmin()) != int(weighted.argmin())  # the printed arg min


def _alpha(p: Tensor, q: Tensor, lam: Tensor) -> Tensor:
    return torch.as_tensor(curve_discrete(p, q, lam).precision)


def test_weighted_curve_alone_diverges_for_kl() -> None:
    """(4.15) integrates α_λ/λ² for KL: near 0 α_λ = λ, so the integral grows like log 1/ε and needs - min(1,λ)."""
    p, q = random_pairs(1)[0]
    kl = DIVERGENCES["kl"]
    totals, repaired = [], []
    for low in (-10.0, -20.0):
        log_lam, step = legendre(1500, low, 8.0)
        lam = log_lam.exp()
        density = step * lam * weight(kl, lam)
        totals.append(float((density * _alpha(p, q, lam)).sum()))
        repaired.append(-float((density * (_alpha(p, q, lam) - lam.clamp(max=1.0))).sum()))
    holds(totals[1] - totals[0], 10.0, 1e-3)  # as printed: no limit
    for value in repaired:
        holds(value, kl.discrete(p, q), 1e-5)


@over_pairs
def test_weights_of_jensen_shannon(p: Tensor, q: Tensor) -> None:
    """(4.17), (4.21) print the weight 1/(λ(λ+1)), that of 2·JS; JS of table 2.1 has half of it."""
    js, lam = DIVERGENCES["js"], torch.tensor(LAMBDAS, dtype=torch.float64)
    holds(weight(js, lam), 1 / (2 * lam * (lam + 1)))
    truth = js.discrete(p, q)
    holds(rebuild(js, p, q), truth)
    log_lam, step = legendre(1500, -6.0, 6.0)
    grid = log_lam.exp()
    printed = (step * grid / (grid * (grid + 1)) * pr_divergence(p, q, grid)).sum()
    holds(printed, 2 * truth, 1e-5)
    fails(printed, truth)


def cover_sum(lam: float, factor_precision: float, factor_recall: float, same: bool = False) -> Tensor:
    """factor_precision · PC_{b/λ,b} + factor_recall · RC_{bλ,b} at b = 1e-4, P = N(0,1) and P̂ = N(1,1.5²)."""
    real = normal_log_density(0, 1)
    model = real if same else normal_log_density(1, 1.5)
    b, grid = 1e-4, torch.linspace(-9, 11, 8001, dtype=torch.float64)
    precision = cover_on_the_line(real.cdf, model.cdf, grid, b, b / lam, model.log_prob(grid).exp())
    recall = cover_on_the_line(model.cdf, real.cdf, grid, b, b * lam, real.log_prob(grid).exp())
    return factor_precision * precision + factor_recall * recall


@pytest.mark.parametrize("lam", [0.5, 2.0])
def test_cover_limit(lam: float) -> None:
    """(4.32) prints λ PC + RC; the theorem's own (4.22), PC + λ RC, is right. Both need a > b for one term."""
    real, model = normal_log_density(0, 1), normal_log_density(1, 1.5)
    masses = quadrature_masses(real.log_prob, model.log_prob, (-9.0, 11.0))
    truth = float(RatioLaw.from_masses(*masses).curve(torch.tensor([lam], dtype=torch.float64)).precision[0])
    holds(cover_sum(lam, 1.0, lam), truth, 2e-3)
    fails(cover_sum(lam, lam, 1.0), truth, 5e-2)


@pytest.mark.parametrize("lam", [0.5, 2.0])
def test_cover_limit_needs_thresholds_above_the_ball(lam: float) -> None:
    """Definition 3.3.4 asks for a ≤ b; (4.22) uses a = b/λ and a = bλ, one of which is above b unless λ = 1."""
    b = 1e-4
    assert max(b / lam, b * lam) > b
    real, model = normal_log_density(0, 1), normal_log_density(1, 1.5)
    masses = quadrature_masses(real.log_prob, model.log_prob, (-9.0, 11.0))
    truth = float(RatioLaw.from_masses(*masses).curve(torch.tensor([lam], dtype=torch.float64)).precision[0])
    holds(cover_sum(lam, 1.0, lam), truth, 2e-3)
    allowed = cover_sum(lam, 1.0, 0.0) if b / lam <= b else cover_sum(lam, 0.0, lam)
    fails(allowed, truth, 5e-2)  # the admissible term alone


def test_cover_limit_where_densities_are_proportional() -> None:
    """(4.28) and (4.29) both count {λp = p̂}: for P = P̂ and λ = 1 the sum (4.22) is 2, and α_1 = 1."""
    p = torch.tensor([0.3, 0.7], dtype=torch.float64)
    truth = precision_at(p, p, 1.0)
    holds(truth, 1.0)
    # Balls of mass b have mass b under the other law too; a hair below b keeps rounding out of the comparison.
    real = normal_log_density(0, 1)
    grid = torch.linspace(-8, 8, 4001, dtype=torch.float64)
    share = cover_on_the_line(real.cdf, real.cdf, grid, 1e-3, 1e-3 * (1 - 1e-6), real.log_prob(grid).exp())
    holds(share, 1.0)
    fails(share + share, truth)
    lam, q = 1.0, p
    once = (lam * p * (lam * p <= q)).sum() + (q * (q < lam * p)).sum()  # (4.31) counts {λp = p̂} once
    holds(once, truth)


def test_mass_of_an_image() -> None:
    """(4.43) prints P̂(G(B)) = Q(B); G need not be injective, so it is ≥, which is what the proof uses."""
    radius = torch.tensor(1.0, dtype=torch.float64)
    z = torch.linspace(-12, 12, 480_001, dtype=torch.float64)
    density = normal_log_density(0, 1).log_prob(z).exp()
    mass = density / density.sum()
    image = mass[
        torch.sin(z).abs() <= math.sin(1.0)
    ].sum()  # G = sin is 1-Lipschitz, G(B_1) = [-sin 1, sin 1]
    ball = latent_ball_mass(radius, 1)
    assert image >= ball
    fails(image, ball)


def test_generator_at_infinity_is_not_closed() -> None:
    """Proposition 4.2.2 includes λ = +∞, by "f_∞ is lower semi-continuous"; f_∞ = 1{u = 0} jumps up at 0.

    Its biconjugate is 0, so the dual form of theorem 2.1.3 gives 0 for every pair of laws; for λ < ∞ all is well.
    """
    u = torch.cat((torch.zeros(1), torch.logspace(-12, 3, 4000))).double()
    slopes = -torch.logspace(-6, 9, 2000, dtype=torch.float64)  # f_∞*(t) = +∞ for t > 0

    def twice_conjugate_at_zero(f: Tensor) -> float:
        conjugate = torch.stack([(t * u - f).max() for t in slopes])
        return float((-conjugate).max())  # sup_t 0·t - f*(t)

    jump = (u == 0).double()
    assert float(jump[0]) == 1.0
    holds(twice_conjugate_at_zero(jump), 0.0, 1e-2)
    p, q = torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.25, 0.75]], dtype=torch.float64)
    holds(pr(math.inf).discrete(p, q), 0.75)  # P̂(p = 0), of which no critic proves anything
    with pytest.raises(ValueError, match="no critic"):
        pr(math.inf).activation(p)
    for lam in (0.5, 5.0, 50.0):
        holds(twice_conjugate_at_zero(pr(lam).f(u)), pr(lam).f(torch.zeros(1, dtype=torch.float64)), 1e-6)


@over_pairs
def test_pr_divergence_falls_with_precision(p: Tensor, q: Tensor) -> None:
    """§4.5 calls D_λ "directly proportional to the Precision"; it is min(1,λ) - α_λ, and falls where α_λ rises."""
    better = (p + q) / 2
    for lam in LAMBDAS:
        precision = torch.tensor([precision_at(p, law, lam) for law in (q, better)], dtype=torch.float64)
        value = torch.stack([pr_divergence(p, law, lam) for law in (q, better)])
        holds(value + precision, torch.full_like(value, min(1, lam)))
        if float(value[0]) > 0.05:
            assert precision[1] > precision[0]
            assert value[1] < value[0]  # printed: it would rise
            fails(value[0] / precision[0], value[1] / precision[1])
