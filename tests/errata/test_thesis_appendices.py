"""Thesis, appendices A, B and C: constants of residual flows, the lines of the proofs, sizes of networks."""

import math
from itertools import pairwise

import pytest
import torch
from torch import Tensor

from tests.errata.laws import fails, holds, over_pairs, precision_at, random_pairs, recall_at
from trainables.divergences import DIVERGENCES, pr, pr_divergence, rebuild, weight
from trainables.models.glow import Glow
from trainables.precision_recall import latent_ball_mass, residual_flow_constants
from trainables.rejection import refine_obrs

LAMBDAS = [0.4, 0.75, 1.5, 3.0]
KL = DIVERGENCES["kl"]


def test_forward_constant_of_residual_flows() -> None:
    """§A.1 prints L₁ ≥ 1/(1-L)^K; the inverse of a residual block has constant at most 1/(1-L), so L₁ ≤."""
    lipschitz, blocks = 0.5, 3
    upper, _ = residual_flow_constants(lipschitz, blocks)
    holds(upper, 1 / (1 - lipschitz) ** blocks)
    x = torch.linspace(-6, 6, 6001, dtype=torch.float64)
    y = x
    for _ in range(blocks):
        y = y + lipschitz * torch.tanh(y)  # L-Lipschitz residual, increasing: each block expands
    forward = float(((x[1:] - x[:-1]) / (y[1:] - y[:-1])).max())  # G = (F₁∘…∘F_K)⁻¹
    assert forward <= upper
    assert forward < upper / 2  # the printed lower bound is not met


def test_bound_of_theorem_a_2_1_is_a_lower_bound() -> None:
    """Theorem A.2.1 calls (A.3) an upper bound; a model with G⁻¹ L₂-Lipschitz may be as bad as one likes."""
    lam, shift = 1.0, 6.0
    real = torch.distributions.Normal(torch.tensor(0.0, dtype=torch.float64), 1.0)
    # P = N(0,1), G(z) = z + shift, so L₂ = 1 and P̂ = N(shift, 1): D_1 = TV = 2Φ(shift/2) - 1.
    truth = float(2 * real.cdf(torch.tensor(shift / 2, dtype=torch.float64)) - 1)
    radii = torch.linspace(0.01, 8, 400, dtype=torch.float64)
    mass = 2 * real.cdf(radii) - 1
    bound = float((lam * mass - latent_ball_mass(radii, 1)).max())  # x = 0, the best centre here
    assert truth >= bound - 1e-12
    assert truth > bound + 0.5  # not an upper bound


def test_mass_of_a_preimage() -> None:
    """(A.4) prints P̂(G⁻¹(B)) = Q(G⁻¹(B)); the law of the model is taken at B itself."""
    normal = torch.distributions.Normal(torch.tensor(0.0, dtype=torch.float64), 1.0)
    half = torch.tensor(1.0, dtype=torch.float64)  # B = [-1, 1], G(z) = 2z, G⁻¹(B) = [-½, ½]
    latent = 2 * normal.cdf(half / 2) - 1
    model = torch.distributions.Normal(torch.tensor(0.0, dtype=torch.float64), 2.0)
    holds(2 * model.cdf(half) - 1, latent)
    fails(2 * model.cdf(half / 2) - 1, latent)


@pytest.mark.parametrize("lam", [0.4, 2.5])
def test_middle_of_b_8(lam: float) -> None:
    """(B.8) prints max(λ,1) + tλ - 1 in the middle; the supremum is at u = 1/λ, so t/λ."""
    t = torch.linspace(0.1, 0.9, 5, dtype=torch.float64) * lam
    truth = pr(lam).conjugate(t)
    holds(max(lam, 1) + t / lam - 1, truth)
    fails(max(lam, 1) + t * lam - 1, truth)


@over_pairs
def test_recall_is_precision_over_lambda(p: Tensor, q: Tensor) -> None:
    """§B.1.3 prints β_λ = λ α_λ; it is α_λ = λ β_λ, as in (B.98)."""
    for lam in LAMBDAS:
        holds(precision_at(p, q, lam), lam * recall_at(p, q, lam))
        fails(recall_at(p, q, lam), lam * precision_at(p, q, lam))


@over_pairs
def test_integral_in_b_30(p: Tensor, q: Tensor) -> None:
    """(B.30) drops p̂ from ∫ p̂ max(λp/p̂, 1); (B.31) has it back."""
    for lam in LAMBDAS:
        inner = torch.clamp(lam * p / q, min=1)
        holds(lam + 1 - (q * inner).sum(), precision_at(p, q, lam))
        fails(lam + 1 - inner.sum(), precision_at(p, q, lam))


def test_second_derivative_in_b_47() -> None:
    """(B.47) prints -c(1/u)/u² + c′(1/u)/u² + …; the first term is -c′(1/u)/u², and the two cancel."""
    u = torch.linspace(0.4, 3, 7, dtype=torch.float64, requires_grad=True)

    def c(x: Tensor) -> Tensor:
        return torch.exp(-x) + x**3

    def first(x: Tensor) -> Tensor:
        return -torch.exp(-x) + 3 * x**2

    def second(x: Tensor) -> Tensor:
        return torch.exp(-x) + 6 * x

    f = u * c(1 / u) - c(torch.tensor(1.0, dtype=torch.float64))
    (slope,) = torch.autograd.grad(f.sum(), u, create_graph=True)
    (truth,) = torch.autograd.grad(slope.sum(), u)
    v = 1 / u.detach()
    holds(-(v**2) * first(v) + v**2 * first(v) + v**3 * second(v), truth)
    fails(-(v**2) * c(v) + v**2 * first(v) + v**3 * second(v), truth)


def test_upper_limit_of_the_weighted_integral() -> None:
    """End of §B.1.4: ∫_0^M; with M = sup p/p̂ as elsewhere mass is lost, D_λ lives up to sup p̂/p. (4.10) has ∞."""
    p = torch.tensor([0.05, 0.95], dtype=torch.float64)
    q = torch.tensor([0.5, 0.5], dtype=torch.float64)
    largest = float((p / q).max())
    truth = KL.discrete(p, q)
    holds(rebuild(KL, p, q), truth)
    lam = torch.linspace(1e-4, largest, 200_001, dtype=torch.float64)
    short = torch.trapezoid(weight(KL, lam) * pr_divergence(p, q, lam), lam)
    fails(short, truth)
    assert largest < float((q / p).max())


@over_pairs
def test_optimum_of_appendix_b(p: Tensor, q: Tensor) -> None:
    """Before (B.83): a = min(p/(p̂K) ∇f*(-Kμ*), 1) is printed; two lines above, and by (B.73), it is ∇f*(-μ*/K)."""
    budget = 1.5
    a = refine_obrs(p, q, budget).acceptance
    free = a < 1 - 1e-9
    mu = -budget * KL.f_prime(a * q * budget / p)[free].mean()  # stationarity where a < 1
    base = p / (q * budget)
    holds((base * KL.ratio(-mu / budget)).clamp(max=1), a)  # ∇f* of f = u log u is the ratio map
    fails((base * KL.ratio(-budget * mu)).clamp(max=1), a)


@over_pairs
def test_constant_of_b_82(p: Tensor, q: Tensor) -> None:
    """(B.82) ends with -μ*(K-1); putting v = -(μ+u) into (B.81) leaves +μ*(1 - 1/K)."""
    budget, mu = 2.5, 0.7
    u = p / q
    v = -(mu + u)
    left = -(q * u).sum() - mu / budget
    holds((q * v).sum() + mu * (1 - 1 / budget), left)
    fails((q * v).sum() - mu * (budget - 1), left)


@over_pairs
def test_side_on_which_precision_is_one(p: Tensor, q: Tensor) -> None:
    """After (B.94): "under a given threshold K c_K/M the precision is constant and equal to 1"; it is above it."""
    budget = 1.5
    refined = refine_obrs(p, q, budget)
    threshold = budget * math.exp(refined.constant)  # K c_K/M
    holds(precision_at(p, refined.law, 1.01 * threshold), 1.0)
    assert precision_at(p, refined.law, 0.7 * threshold) < 1 - 1e-2


@over_pairs
def test_constant_beyond_the_largest_ratio(p: Tensor, q: Tensor) -> None:
    """(B.67) asks for c_K ≥ 1 with E[a] = 1/K for every K ≥ 1; theorem 6.2.1 rightly stops at K ≤ M.

    Beyond M either the rate stays at 1/M (c_K = 1) or, as here, c_K = M/K < 1 spends the whole budget; the
    refined law is P in both cases.
    """
    largest = float((p / q).max())
    budget = 2 * largest
    refined = refine_obrs(p, q, budget)
    holds(refined.rate, 1 / budget)
    holds(math.exp(refined.constant) * largest, largest / budget)
    holds(refined.law, p)
    for c in (1.0, 1.5, 3.0):  # what (B.67) allows
        rate = (q * (p / q * c / largest).clamp(max=1)).sum()
        fails(rate, 1 / budget)


def test_preimages_of_balls_are_small() -> None:
    """§A.2: G cannot map a ball "to a region smaller than B_{L₂R}"; the preimage of a ball is no larger than that."""
    # G⁻¹ = tanh on the line, L₂ = 1.
    for centre in (0.0, 0.7, -2.0):
        for radius in (0.1, 1.0, 3.0):
            low, high = math.tanh(centre - radius), math.tanh(centre + radius)
            middle = math.tanh(centre)
            assert max(high - middle, middle - low) <= radius  # G⁻¹(B_{R,x}) ⊆ B_{L₂R,G⁻¹(x)}
    assert math.tanh(3.0) < 0.34 * 3.0  # and far smaller, which is said to be impossible


def test_domain_of_the_converse() -> None:
    """§B.1.3: h: [0, 1] → ℝ⁺, strictly decreasing and linear; h(min(λ,1)) = 0 leaves [0, min(λ,1)] as its domain."""
    for lam in (0.2, 0.6):

        def h(alpha: float, lam: float = lam) -> float:
            return 2.0 * (min(lam, 1) - alpha)  # (B.35): the only form there is

        holds(h(min(lam, 1)), 0.0)
        assert h(1.0) < -0.5  # not in ℝ⁺
        for p, q in random_pairs():
            assert h(precision_at(p, q, lam)) >= -1e-12  # precisions at λ end at min(λ, 1)


@over_pairs
def test_quotient_in_the_formula_of_the_acceptance(p: Tensor, q: Tensor) -> None:
    """Before (B.83): -μ*/K - max(0, -μ* - ∇g(p̂/p)/K) is printed twice; K divides the whole maximum."""
    budget = 1.5
    a = refine_obrs(p, q, budget).acceptance
    mu = -budget * KL.f_prime(a * q * budget / p)[a < 1 - 1e-9].mean()
    slope = budget * KL.f_prime(budget * q / p)  # ∇g(p̂/p) with g(t) = f(Kt)

    def acceptance(excess: Tensor) -> Tensor:
        return p / (q * budget) * KL.ratio(-mu / budget - excess)

    holds(acceptance((-mu - slope).clamp(min=0) / budget), a)
    fails(acceptance((-mu - slope / budget).clamp(min=0)), a)


def parameters(*widths: int) -> int:
    """Weights and biases of a chain of dense layers."""
    return sum(a * b + b for a, b in pairwise(widths))


def test_size_of_the_real_nvp() -> None:
    """§C.1.2: eight coupling steps of "2 linear layers 2-256-2" and 540k parameters; 2-256-256-2 has as many.

    The sizes of the other small networks of appendix C come out as printed.
    """
    holds(8 * parameters(2, 256, 256, 2), 540e3, 0.01)
    fails(8 * parameters(2, 256, 2), 540e3, 0.9)
    fails(2 * 8 * parameters(2, 256, 2), 540e3, 0.9)  # scale and shift apart
    holds(parameters(2, 1024, 512, 256, 1), 660e3, 0.01)
    holds(parameters(1024, 1024, 512, 256, 1), 1.7e6, 0.01)
    holds(parameters(100, 256, 512, 1024, 784), 1.5e6, 0.01)


def test_levels_of_the_glow() -> None:
    """§C.1.3: levels 4×16×16, 16×8×8 and 64×8×8; squeezing keeps the number of values, so 64×4×4."""
    level = torch.zeros(1, 1, 32, 32)
    shapes = []
    for _ in range(3):
        level = torch.nn.functional.pixel_unshuffle(level, 2)
        shapes.append(tuple(level.shape[1:]))
    assert shapes == [(4, 16, 16), (16, 8, 8), (64, 4, 4)]
    assert shapes[2] != (64, 8, 8)
    assert math.prod(shapes[2]) == 32 * 32 != 64 * 8 * 8


def test_size_of_the_glow() -> None:
    """§C.1.3: 16 couplings on each of three levels, networks of three convolutions with 512 channels: 85.2M?"""
    shapes = [(4, 16, 16), (16, 8, 8), (64, 4, 4)]

    def counted(middle: int) -> int:
        """Weights and biases, with a middle × middle kernel between two of 3 × 3, and the 1 × 1 convolutions."""
        total = 0
        for channels, _, _ in shapes:
            ends = 9 * (channels // 2) * 512 + 512 + 9 * 512 * channels + channels
            total += 16 * (ends + (middle * 512) ** 2 + 512 + channels**2 + 2 * channels)
        return total

    built = Glow(**Glow.spelled({"size": "thesis"})).build_generator((1, 32, 32), None)
    holds(sum(p.numel() for p in built.parameters()), counted(1), 0.01)
    for size in (counted(1), counted(3)):
        fails(size, 85.2e6, 0.3)
