"""Thesis, chapter 2: generators, conjugates, properties of f-divergences, likelihoods and scores."""

import math

import pytest
import torch
from torch import Tensor

from tests.errata.laws import fails, holds, legendre, over_pairs, random_pairs
from trainables.divergences import DIVERGENCES, amari, dual_bound, pr
from trainables.precision_recall import renyi

JS, CHI2, TV, HELLINGER = (DIVERGENCES[name] for name in ("js", "chi2", "tv", "hellinger"))
U = torch.linspace(0.0, 30.0, 60_001, dtype=torch.float64)


def conjugate_by_search(f_of_u: Tensor, t: float) -> Tensor:
    """sup_{u ≥ 0} tu - f(u), over the grid U: the definition (2.9), to about 1e-7."""
    return (t * U - f_of_u).max()


def js_by_definition(p: Tensor, q: Tensor) -> Tensor:
    middle = (p + q) / 2
    return ((p * (p / middle).log()).sum() + (q * (q / middle).log()).sum()) / 2


def twice_js(u: Tensor) -> Tensor:
    """u log u - (1+u) log((1+u)/2), the generator of 2·JS."""
    return torch.xlogy(u, u) - (1 + u) * ((1 + u) / 2).log()


@over_pairs
def test_generator_of_jensen_shannon(p: Tensor, q: Tensor) -> None:
    """Table 2.1 prints f(u) = u log u + (1+u) log(1+u), with f(1) = 2 log 2."""
    truth = js_by_definition(p, q)
    holds(JS.discrete(p, q), truth)
    u = p / q
    fails((q * (u * u.log() + (1 + u) * (1 + u).log())).sum(), truth)


@pytest.mark.parametrize("t", [-1.0, -0.3, 0.2])
def test_conjugate_of_jensen_shannon(t: float) -> None:
    """Table 2.2 prints f*(t) = -log(2 - e^t), the conjugate of twice the divergence of table 2.1."""
    truth = conjugate_by_search(JS.f(U), t)
    holds(JS.conjugate(torch.tensor(t, dtype=torch.float64)), truth, 1e-7)
    printed = -math.log(2 - math.exp(t))
    fails(printed, truth)
    holds(printed, conjugate_by_search(twice_js(U), t), 1e-7)  # what the printed form belongs to


@over_pairs
def test_optimal_critic_of_jensen_shannon(p: Tensor, q: Tensor) -> None:
    """Table 2.2 prints T = log(p/(p+q)) + log 2; the optimal critic of table 2.1's divergence is half of it."""
    truth = JS.discrete(p, q)
    printed = (p / (p + q)).log() + math.log(2)
    holds(dual_bound(JS, printed / 2, printed / 2, weights_real=p, weights_fake=q), truth)
    fails(dual_bound(JS, printed, printed, weights_real=p, weights_fake=q), truth, 1e-3)


@pytest.mark.parametrize("alpha", [-0.5, 0.4, 1.5, 3.0])
def test_amari_integral_weighs_with_q(alpha: float) -> None:
    """Table 2.1 prints 1/(α(α-1)) ∫ p[(p/q)^α - 1]."""
    for p, q in random_pairs():
        bracket = (p / q) ** alpha - 1
        truth = amari(alpha).discrete(p, q)
        holds((q * bracket).sum() / (alpha * (alpha - 1)), truth)
        fails((p * bracket).sum() / (alpha * (alpha - 1)), truth)


@pytest.mark.parametrize("alpha", [0.4, 1.5, 3.0])
def test_amari_generator_of_the_printed_conjugate(alpha: float) -> None:
    """Table 2.2's f* and T belong to (u^α - αu + α - 1)/(α(α-1)), not to table 2.1's (u^α - 1)/(α(α-1))."""
    t = torch.tensor(0.3 / (1 - alpha) if alpha < 1 else 0.3, dtype=torch.float64)
    printed_conjugate = ((t * (alpha - 1) + 1) ** (alpha / (alpha - 1)) - 1) / alpha
    holds(amari(alpha).conjugate(t), printed_conjugate)
    holds(conjugate_by_search(amari(alpha).f(U), float(t)), printed_conjugate, 1e-6)
    printed_generator = (U**alpha - 1) / (alpha * (alpha - 1))
    fails(conjugate_by_search(printed_generator, float(t)), printed_conjugate)


@pytest.mark.parametrize("alpha", [0.5, 2.0])
def test_tsallis_integral_weighs_with_q(alpha: float) -> None:
    """(2.16) prints 1/(α-1) ∫ p[(p/q)^α - 1]; the stated link to Rényi asks for q in front."""
    for p, q in random_pairs():
        bracket = (p / q) ** alpha - 1
        truth = renyi(p.log(), q.log(), alpha)
        for weight, check in ((q, holds), (p, fails)):
            tsallis = (weight * bracket).sum() / (alpha - 1)
            check(torch.log1p((alpha - 1) * tsallis) / (alpha - 1), truth)


@over_pairs
def test_amari_at_one_half_and_two(p: Tensor, q: Tensor) -> None:
    """§2.1.2 names α = ½ "the Hellinger divergence" and α = 2 "equivalent to χ²": factors 2 and ½ are lost."""
    holds(amari(0.5).discrete(p, q), 2 * HELLINGER.discrete(p, q))
    fails(amari(0.5).discrete(p, q), HELLINGER.discrete(p, q))
    holds(amari(2.0).discrete(p, q), CHI2.discrete(p, q) / 2)
    fails(amari(2.0).discrete(p, q), CHI2.discrete(p, q))


def test_joint_convexity() -> None:
    """(2.6) prints (1-λ) D_f(P̂₁‖P̂₂) as the second term; with P̂₁ = P̂₂ that bound is broken."""
    (p1, q1), (p2, _) = random_pairs(2)
    lam, kl = 0.3, DIVERGENCES["kl"]
    left = kl.discrete(lam * p1 + (1 - lam) * p2, q1)  # P̂₁ = P̂₂ = q1
    corrected = lam * kl.discrete(p1, q1) + (1 - lam) * kl.discrete(p2, q1)
    printed = lam * kl.discrete(p1, q1) + (1 - lam) * kl.discrete(q1, q1)
    assert left <= corrected
    assert left > printed + 1e-2


def test_zero_divergence_needs_strict_convexity_at_one() -> None:
    """§2.1.2 says D_f = 0 if and only if P = P̂; f_λ with λ ≠ 1 is flat or linear around 1."""
    p, q = torch.tensor([[0.5, 0.5], [0.4, 0.6]], dtype=torch.float64)
    assert float((p - q).abs().max()) > 0.05
    assert float(pr(0.5).discrete(p, q)) == 0.0  # the printed "only if" fails
    for name in ("kl", "js", "chi2", "hellinger", "tv"):  # strictly convex at 1
        assert float(DIVERGENCES[name].discrete(p, q)) > 1e-3


@pytest.mark.parametrize("t", [-4.0, -3.0])
def test_conjugate_of_chi2_below_minus_two(t: float) -> None:
    """Table 2.2 prints t²/4 + t without its range t ≥ -2; below it f* = -1, as u ≥ 0."""
    truth = conjugate_by_search((U - 1) ** 2, t)
    holds(CHI2.conjugate(torch.tensor(t, dtype=torch.float64)), truth)
    fails(t**2 / 4 + t, truth)


@pytest.mark.parametrize("t", [-2.0, -0.8])
def test_conjugate_of_total_variation_below_minus_one_half(t: float) -> None:
    """Table 2.2 prints f*(t) = t without its range [-½, ½]; below it f* = -½ (above it, +∞)."""
    truth = conjugate_by_search((U - 1).abs() / 2, t)
    holds(TV.conjugate(torch.tensor(t, dtype=torch.float64)), truth)
    fails(t, truth)


@over_pairs
def test_likelihood_and_entropy(p: Tensor, q: Tensor) -> None:
    """(2.25) prints E_P[log p̂] = H(P) - KL; the entropy comes with a minus sign."""
    likelihood, entropy = (p * q.log()).sum(), -(p * p.log()).sum()
    divergence = DIVERGENCES["kl"].discrete(p, q)
    holds(likelihood, -entropy - divergence)
    fails(likelihood, entropy - divergence)


def test_flow_gan_rewards_likelihood() -> None:
    """(2.26) adds +γ E_P[log p̂] to what G minimises: the model P̂ = P then loses against worse ones."""
    p = torch.tensor([0.2, 0.3, 0.5], dtype=torch.float64)
    models = [p] + [q for _, q in random_pairs(20, atoms=3, seed=1)]
    gamma = 2.0
    gain = torch.stack([(p * q.log()).sum() for q in models])
    divergence = torch.stack([JS.discrete(p, q) for q in models])
    assert int((divergence - gamma * gain).argmin()) == 0
    printed = divergence + gamma * gain
    assert int(printed.argmin()) != 0
    assert float(printed[0] - printed.min()) > 0.1


def test_glow_convolution_determinant() -> None:
    """(2.29): with ones on U's diagonal det W is ±Π(1+s_j); the stated Π s_j needs zeros there."""
    generator = torch.Generator().manual_seed(0)
    lower = torch.randn(4, 4, generator=generator, dtype=torch.float64).tril(-1) + torch.eye(4)
    strict = torch.randn(4, 4, generator=generator, dtype=torch.float64).triu(1)
    scale = torch.tensor([0.5, 2.0, 1.5, 0.7], dtype=torch.float64)
    permutation = torch.eye(4, dtype=torch.float64)[[2, 0, 3, 1]]
    corrected = permutation @ lower @ (strict + scale.diag())
    printed = permutation @ lower @ (strict + torch.eye(4) + scale.diag())
    holds(torch.linalg.det(corrected).abs(), scale.prod())
    fails(torch.linalg.det(printed).abs(), scale.prod())
    holds(torch.linalg.det(printed).abs(), (1 + scale).prod())


def gaussian_kl(a: float, b: float) -> float:
    """KL(N(0, a)‖N(0, b))."""
    return 0.5 * (a / b - 1 + math.log(b / a))


def test_score_matching_weight() -> None:
    """(2.33) weighs the score error with g(t); it is ½g(t)² (and ≤ unless s_θ is the score of a diffused P̂).

    Here dx = g dw with constant g, P = N(0, a), P̂ = N(0, b), so every law on the way is Gaussian.
    """
    a, b, g, horizon = 1.0, 3.0, 1.5, 2.0
    nodes, weights = legendre(20, 0.0, horizon)
    variance_p, variance_q = a + g**2 * nodes, b + g**2 * nodes
    error = (1 / variance_q - 1 / variance_p) ** 2 * variance_p  # E_{P_t}|∇log p_t - ∇log p̂_t|²
    start = gaussian_kl(a + g**2 * horizon, b + g**2 * horizon)
    truth = gaussian_kl(a, b)
    holds(start + (weights * 0.5 * g**2 * error).sum(), truth)
    fails(start + (weights * g * error).sum(), truth)


@over_pairs
def test_optimal_critic_of_total_variation(p: Tensor, q: Tensor) -> None:
    """Table 2.2 prints T = ½ sign(r - 1), and the notation page makes sign the indicator of x > 0: half of TV.

    The same convention is right in (4.4), T = λ sign(λr - 1), which is why it cannot be read as ±1 here.
    """

    def sign(x: Tensor) -> Tensor:
        return (x > 0).double()  # notation, "Functions"

    truth, ratio = TV.discrete(p, q), p / q
    printed = sign(ratio - 1) / 2
    holds(dual_bound(TV, printed, printed, weights_real=p, weights_fake=q), truth / 2)
    fails(dual_bound(TV, printed, printed, weights_real=p, weights_fake=q), truth)
    corrected = sign(ratio - 1) - 0.5
    holds(corrected, TV.optimal_critic(ratio))
    holds(dual_bound(TV, corrected, corrected, weights_real=p, weights_fake=q), truth)
    for lam in (0.4, 0.75, 1.5, 3.0):
        critic = lam * sign(lam * ratio - 1)  # (4.4), as printed
        holds(critic, pr(lam).optimal_critic(ratio))
        holds(dual_bound(pr(lam), critic, critic, weights_real=p, weights_fake=q), pr(lam).discrete(p, q))


def normal(mean: float, sigma: float) -> torch.distributions.Normal:
    return torch.distributions.Normal(*torch.tensor([mean, sigma], dtype=torch.float64))


def test_spaces_of_a_flow() -> None:
    """§2.2.2 prints G: X → Z and G⁻¹: Z → X; (2.23) is the density of G(z), z in Z, so G: Z → X."""
    x = torch.linspace(-4.0, 6.0, 21, dtype=torch.float64)
    latent = normal(0.0, 1.0)
    # G(t) = 2t + 1, so (2.23) reads q((x - 1)/2)/2.
    formula = latent.log_prob((x - 1) / 2).exp() / 2
    holds(formula, normal(1.0, 2.0).log_prob(x).exp())  # G applied to z ~ N(0, 1)
    fails(
        formula, normal(-0.5, 0.5).log_prob(x).exp()
    )  # G⁻¹ applied to it, which is what maps Z to X as printed


def test_directions_of_a_flow() -> None:
    """Figure 2.5 pushes P into Z "using the generative direction"; G⁻¹, the normalizing one, keeps the divergence."""
    kl = torch.distributions.kl_divergence
    data, latent, model = normal(3.0, 1.0), normal(0.0, 1.0), normal(1.0, 2.0)  # P̂ = G#Q with G(z) = 2z + 1
    truth = kl(data, model)
    holds(kl(normal(1.0, 0.5), latent), truth)  # D(G⁻¹#P‖Q) = D(P‖P̂), as the text says
    fails(kl(normal(7.0, 2.0), latent), truth)  # G#P


def test_maximising_argument_needs_strict_convexity() -> None:
    """(2.11), (2.12) ask for a differentiable f; this one is, and is flat around 1: f* has a kink at 0."""
    u = torch.linspace(0.0, 4.0, 40_001, dtype=torch.float64)

    def slope_at_zero(f: Tensor, side: float) -> float:
        """One-sided derivative of f*(t) = sup_u tu - f(u) at t = 0."""
        return float(((side * u - f).max() - (-f).max()) / side)

    flat = (((u - 1).abs() - 0.5).clamp(min=0)) ** 2  # convex, differentiable, f(1) = 0
    assert slope_at_zero(flat, 1e-6) == pytest.approx(1.5, abs=1e-3)
    assert slope_at_zero(flat, -1e-6) == pytest.approx(
        0.5, abs=1e-3
    )  # no ∇f*(0), and every u between maximises
    strict = (u - 1) ** 2
    holds(slope_at_zero(strict, 1e-3), slope_at_zero(strict, -1e-3), 2e-3)
    holds(CHI2.ratio(CHI2.f_prime(u)), u)  # (2.12)
