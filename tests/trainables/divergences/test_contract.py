"""The contract of the family: every theorem the objectives rely on, on every member."""

import math

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.trainables.divergences.family import FAMILY, SMOOTH, laws, logits, ratios, tensor
from trainables.divergences import DIVERGENCES, dual_bound, pr, primal_error_bound, primal_estimate

every = pytest.mark.parametrize("div", FAMILY, ids=lambda d: d.name)
smooth = pytest.mark.parametrize("div", SMOOTH, ids=lambda d: d.name)
fast = settings(max_examples=20)


def close(a, b, rel=1e-9, absolute=1e-11):
    return torch.allclose(a, b, rtol=rel, atol=absolute)


@every
def test_f_at_one_is_the_constant(div):
    assert float(div.f(tensor(1.0))) == pytest.approx(div.constant, abs=1e-15)
    assert div.constant == (-math.log(4) if div.name == "gan" else 0)


@every
@fast
@given(u=ratios, v=ratios, s=st.floats(0, 1))
def test_f_is_convex(div, u, v, s):
    chord = s * div.f(u) + (1 - s) * div.f(v)
    assert div.f(s * u + (1 - s) * v) <= chord + 1e-10 * (1 + chord.abs())


@every
@fast
@given(u=ratios, w=logits)
def test_fenchel_young(div, u, w):
    t = div.activation(w)
    slack = div.f(u) + div.conjugate(t) - u * t
    assert slack >= -1e-10 * (1 + (u * t).abs() + div.f(u).abs())


@every
@fast
@given(u=ratios)
def test_fenchel_young_is_an_equality_at_f_prime(div, u):
    t = div.f_prime(u)
    scale = 1 + (u * t).abs() + div.f(u).abs()
    assert (div.f(u) + div.conjugate(t) - u * t).abs() <= 1e-8 * scale


@every
@settings(max_examples=15)
@given(u=st.floats(math.log(0.05), math.log(20)).map(lambda x: tensor(math.exp(x))))
def test_biconjugate_is_f(div, u):
    """f(u) = sup_t tu - f*(t), the sup taken over a fine grid of slopes f′(v) that holds neighbours of u."""
    v = u * torch.exp(torch.linspace(-0.5, 0.5, 2001, dtype=torch.float64))
    slopes = div.f_prime(torch.cat([v, tensor([1e-3, 1e3])]))
    assert close((slopes * u - div.conjugate(slopes)).amax(), div.f(u), 1e-7, 1e-7)


@every
@fast
@given(t=st.floats(-30, 30).map(tensor))
def test_conjugate_is_the_supremum_on_the_whole_line(div, t):
    """Where f* is finite no u beats it; where it is infinite, u → ∞ is unbounded."""
    assume(abs(float(t) - float(div.slope_at_infinity)) > 1e-3)  # the maximiser leaves any grid there
    u = torch.exp(torch.linspace(-30, 30, 4001, dtype=torch.float64))
    gains = t * u - div.f(u)
    value = div.conjugate(t)
    if torch.isinf(value):
        assert gains[-1] > 1e6
    else:
        assert (gains <= value + 1e-9 * (1 + (t * u).abs() + div.f(u).abs())).all()
        # Gains are concave: the best u lies between the neighbours of the grid's best.
        near = u[gains.argmax()] * torch.exp(torch.linspace(-0.016, 0.016, 4001, dtype=torch.float64))
        best = (t * near - div.f(near)).amax()
        assert value - max(best, tensor(-float(div.at_zero))) <= 1e-4 * (1 + value.abs())


@every
@fast
@given(w=logits)
def test_conjugate_of_activation_is_the_composition(div, w):
    assert close(div.conjugate_of_activation(w), div.conjugate(div.activation(w)), 1e-7, 1e-7)


@every
@fast
@given(u=ratios)
def test_f_prime_is_the_derivative_of_f(div, u):
    x = (u * 1.0000123).requires_grad_()  # off the kinks
    (gradient,) = torch.autograd.grad(div.f(x), x)
    assert close(gradient, div.f_prime(x.detach()), 1e-7, 1e-9)


@smooth
@fast
@given(u=ratios)
def test_f_second_is_the_derivative_of_f_prime(div, u):
    x = u.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(div.f_prime(x).sum(), x, allow_unused=True)
    assert close(gradient, div.f_second(u), 1e-8, 1e-12)
    assert div.strong_convexity <= float(div.f_second(u)) * (1 + 1e-12)


@smooth
@settings(max_examples=20)
@given(r=st.floats(math.log(1e-2), math.log(1e2)).map(lambda x: tensor(math.exp(x))))
def test_the_ratio_is_recovered(div, r):
    w = div.optimal_logit(r)
    assert close(div.activation(w), div.f_prime(r), 1e-8)
    assert close(div.log_ratio(w), torch.log(r), 1e-7, 1e-8)
    assert close(div.ratio(div.optimal_critic(r)), r, 1e-6)


@pytest.mark.parametrize("div", [d for d in FAMILY if not d.recovers_ratio], ids=lambda d: d.name)
def test_what_does_not_exist_says_so(div):
    for function in (div.log_ratio, div.ratio, div.optimal_logit, div.f_second):
        with pytest.raises(ValueError, match=r"does not|infinite"):
            function(tensor(0.3))


@every
@fast
@given(pair=laws(zeros=True), u=ratios)
def test_reversal(div, pair, u):
    p, q = pair
    reverse = div.reverse()
    forward = div.discrete(p, q)
    assert close(reverse.discrete(q, p), forward, 1e-8, 1e-9) or (torch.isinf(forward) and forward > 0)
    assert torch.isinf(reverse.discrete(q, p)) == torch.isinf(forward)
    assert close(reverse.reverse().discrete(p, q), forward, 1e-8, 1e-9) or torch.isinf(forward)
    # u f(1/u), up to a multiple of u - 1 read off at two other points
    slope = [(reverse.f(x) - x * div.f(1 / x)) / (x - 1) for x in (tensor(0.5), tensor(3.0))]
    assert close(slope[0], slope[1], 1e-7, 1e-9)
    assert close(reverse.f(u), u * div.f(1 / u) + slope[0] * (u - 1), 1e-6, 1e-6)


@every
@fast
@given(pair=laws(), seed=st.integers(0, 2**16))
def test_dual_bound_is_below_and_tight(div, pair, seed):
    p, q = pair
    value = div.discrete(p, q)
    w = 3 * torch.randn(len(p), dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    arbitrary = div.activation(w)
    best = div.optimal_critic(p / q)
    assert dual_bound(div, arbitrary, arbitrary, weights_real=p, weights_fake=q) <= value + 1e-9 * (1 + value)
    assert close(dual_bound(div, best, best, weights_real=p, weights_fake=q), value, 1e-8, 1e-10)
    assert close(primal_estimate(div, ratio=p / q, weights=q), value, 1e-9, 1e-10)
    assert value >= div.constant - 1e-12


@every
@pytest.mark.parametrize("name", ["activation", "conjugate_of_activation", "log_ratio"])
def test_gradients_are_finite_in_float32(div, name):
    w = torch.linspace(-60, 60, 2401, dtype=torch.float32, requires_grad=True)
    if name == "log_ratio" and not div.recovers_ratio:
        return
    value = getattr(div, name)(w)
    (gradient,) = torch.autograd.grad(value.sum(), w)
    assert value.dtype == torch.float32
    assert torch.isfinite(value).all()
    assert torch.isfinite(gradient).all()
    exact = w.detach().double().requires_grad_()
    (reference,) = torch.autograd.grad(getattr(div, name)(exact).sum(), exact)
    assert torch.allclose(gradient.double(), reference, rtol=2e-3, atol=1e-5)


@every
@fast
@given(pair=laws(), seed=st.integers(0, 2**16), noise=st.floats(0, 1))
def test_primal_error_bound(div, pair, seed, noise):
    """|D_f - E_Q f(r̂)| ≤ σ√(2ε/μ) with r̂ from a perturbed χ² critic (μ = 2), σ over the ratios that occur."""
    p, q = pair
    r = p / q
    chi2 = DIVERGENCES["chi2"]
    generator = torch.Generator().manual_seed(seed)
    estimate = r * torch.exp(noise * torch.randn(len(r), dtype=torch.float64, generator=generator))
    t = chi2.optimal_critic(estimate)
    epsilon = chi2.discrete(p, q) - dual_bound(chi2, t, t, weights_real=p, weights_fake=q)
    everything = torch.cat([r, estimate])
    sigma = float(div.lipschitz)
    if math.isinf(sigma):
        sigma = float(div.lipschitz_on(float(everything.amin()), float(everything.amax())))
    error = float((div.discrete(p, q) - primal_estimate(div, log_ratio=torch.log(estimate), weights=q)).abs())
    bound = primal_error_bound(sigma, max(float(epsilon), 0.0), chi2.strong_convexity)
    assert error <= bound + 1e-6 * (1 + sigma)


@smooth
@fast
@given(u=ratios, v=ratios)
def test_constants_on_a_range_hold_and_are_attained(div, u, v):
    low, high = sorted((float(u), float(v)))
    inside = torch.linspace(low, high, 33, dtype=torch.float64)
    assert float(div.f_second(inside).amin()) == pytest.approx(
        float(div.strong_convexity_on(low, high)), rel=1e-9
    )
    assert float(div.f_prime(inside).abs().amax()) == pytest.approx(
        float(div.lipschitz_on(low, high)), rel=1e-9
    )


@every
def test_shapes_dtypes_and_vmap(div):
    for dtype in (torch.float32, torch.float64):
        w = torch.linspace(-2, 2, 12, dtype=dtype).reshape(3, 4)
        functions = [div.activation, div.conjugate_of_activation, div.conjugate]
        functions += [lambda x: div.f(torch.exp(x)), lambda x: div.f_prime(torch.exp(x))]
        functions += [div.log_ratio] if div.recovers_ratio else []
        for function in functions:
            assert function(w).shape == w.shape
            assert function(w).dtype == dtype
            assert torch.allclose(torch.func.vmap(function)(w), function(w), equal_nan=True)


def test_pr_with_a_tensor_of_lambdas_is_each_of_them():
    lam = tensor([0.0, 0.2, 1.0, 5.0])[:, None]
    u = tensor([0.0, 0.1, 1.0, 7.0])
    pack = pr(lam)
    p, q = tensor([0.5, 0.5, 0.0]), tensor([0.1, 0.0, 0.9])
    for i, value in enumerate(lam.flatten().tolist()):
        one = pr(value)
        for name in ("f", "f_prime", "conjugate", "activation", "conjugate_of_activation"):
            assert torch.equal(getattr(pack, name)(u)[i], getattr(one, name)(u)), name
        assert torch.equal(pack.discrete(p, q)[i], one.discrete(p, q))
        assert close(pack.reverse().discrete(p, q)[i], one.reverse().discrete(p, q))
        assert float(pack.lipschitz[i]) == one.lipschitz
