"""Amari's α-divergences: the named members at special α, continuity there, and a softplus exact in its tails."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

from tests.trainables.divergences.family import laws, ratios, tensor
from trainables.divergences import DIVERGENCES, amari
from trainables.divergences.amari import expm1, inverse_softplus, log_softplus, softplus

fast = settings(max_examples=60)


@fast
@given(u=ratios)
def test_amari_meets_the_named_members(u):
    same = lambda a, b: torch.allclose(a, b, rtol=1e-9, atol=1e-10)  # noqa: E731
    named = {name: d.f(u) for name, d in DIVERGENCES.items()}
    assert same(amari(0.5).f(u), 2 * named["hellinger"])
    assert same(amari(2).f(u), named["chi2"] / 2)
    assert same(amari(1).f(u), named["kl"] - (u - 1))
    assert same(amari(0).f(u), named["reverse_kl"] + (u - 1))


@fast
@given(u=ratios, at=st.sampled_from([0.0, 1.0]), sign=st.sampled_from([-1, 1]), size=st.floats(-15, -8))
def test_amari_is_continuous_at_its_limits(u, at, sign, size):
    near, limit = amari(at + sign * 10**size), amari(at)
    for name in ("f", "f_prime", "f_second"):
        assert torch.allclose(getattr(near, name)(u), getattr(limit, name)(u), rtol=1e-5, atol=1e-5), name


@fast
@given(pair=laws(), alpha=st.floats(-3, 4).filter(lambda a: min(abs(a), abs(a - 1)) > 1e-3))
def test_the_divergence_is_the_sum_of_powers(pair, alpha):
    p, q = pair
    powers = float((q * (p / q) ** alpha).sum())
    expected = (powers - 1) / (alpha * (alpha - 1))
    assert float(amari(alpha).discrete(p, q)) == pytest.approx(expected, rel=1e-9, abs=1e-9 * (1 + powers))


# Below 1e-290 the product α log u is subnormal and has no digits left.
@fast
@given(pair=laws(), alpha=st.floats(-3, 4).filter(lambda a: a == 0 or abs(a) > 1e-290))
def test_exchanging_the_laws_exchanges_alpha_and_one_minus_alpha(pair, alpha):
    p, q = pair
    assert amari(alpha).reverse().name == amari(1 - alpha).name
    forward, backward = amari(alpha).discrete(p, q), amari(1 - alpha).discrete(q, p)
    assert torch.allclose(forward, backward, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("alpha", [math.inf, -math.inf, math.nan])
def test_an_alpha_that_is_no_number_is_refused(alpha):
    with pytest.raises(ValueError, match=r"α of an Amari divergence must be finite, got (-?inf|nan)"):
        amari(alpha)


@fast
@given(w=st.floats(-700, 700))
def test_softplus_is_exact_in_both_tails_and_has_an_inverse(w):
    x = tensor(w)
    assert float(softplus(x)) == pytest.approx(float(np.logaddexp(0.0, w)), rel=1e-14)
    assert float(inverse_softplus(softplus(x))) == pytest.approx(w, rel=1e-12, abs=1e-12)


def test_the_logarithm_of_softplus_meets_no_logarithm_of_zero_in_float32():
    w = torch.linspace(-200, 200, 4001, requires_grad=True)
    found = log_softplus(w)
    (slope,) = torch.autograd.grad(found.sum(), w)
    exact = np.log(np.logaddexp(0.0, w.detach().double().numpy()))
    np.testing.assert_allclose(found.detach().numpy(), exact, rtol=1e-5, atol=1e-6)
    assert torch.isfinite(slope).all()
    assert float(slope[0]) == pytest.approx(1.0)  # w itself for w → -∞


def test_expm1_has_the_gradient_of_the_exponential():
    x = torch.linspace(-80, 40, 241, requires_grad=True)
    found = expm1(x)
    (slope,) = torch.autograd.grad(found.sum(), x)
    torch.testing.assert_close(found, torch.expm1(x), rtol=1e-6, atol=0)
    torch.testing.assert_close(slope, x.detach().exp(), rtol=1e-6, atol=0)


def exact_critic(alpha: float, w: float) -> dict[str, tuple[mpf, mpf]]:
    """T, f*(T) and log r̂ at the logit w, each with its derivative, from their definitions at 60 digits.

    r is where f′(r) = T, so T has the derivative r^{α-2} dr/dw and f*(T) has r times that.
    """
    a, x = mpf(alpha), mpf(w)
    if a >= 2:
        s, slope = mpmath.log1p(mpmath.exp(x)), 1 / (1 + mpmath.exp(-x))
        log_r, log_r_slope = mpmath.log(s) / (a - 1), slope / s / (a - 1)
    else:
        scale = max(1, a, 1 - a)
        log_r, log_r_slope = x / scale, 1 / scale
    r = mpmath.exp(log_r)
    t = (r ** (a - 1) - 1) / (a - 1) if a != 1 else log_r
    t_slope = r ** (a - 1) * log_r_slope
    value = (r**a - 1) / a if a else log_r
    return {
        "activation": (t, t_slope),
        "conjugate_of_activation": (value, r * t_slope),
        "log_ratio": (log_r, log_r_slope),
    }


CRITICS = [-2.0, 0.0, 1e-6, 0.5, 1 - 1e-6, 1.0, 1.5, 2.0, 2.5, 3.0, 5.0, 20.0, 200.0]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("alpha", CRITICS)
def test_values_and_gradients_of_a_critic_far_out(alpha, dtype):
    """Every number that the type can hold is right, at logits from -300 to 300; where it cannot, it is inf or 0."""
    info, div = torch.finfo(dtype), amari(alpha)
    w = torch.linspace(-300, 300, 101, dtype=dtype).requires_grad_()
    tolerance = 600 * info.eps  # a rounded exponent x makes e^x off by |x|·eps
    with mpmath.workdps(60):
        truth = [exact_critic(alpha, x) for x in w.tolist()]
        for name in ("activation", "conjugate_of_activation", "log_ratio"):
            value = getattr(div, name)(w)
            (slope,) = torch.autograd.grad(value.sum(), w)
            for order, found in enumerate((value.tolist(), slope.tolist())):
                for index, number in enumerate(found):
                    exact = truth[index][name][order]
                    if abs(exact) > info.max / 16:  # its parts may overflow
                        assert number * mpmath.sign(exact) > info.max / 32
                    elif abs(exact) < 2 * info.tiny:
                        assert abs(number) <= 4 * info.tiny
                    else:
                        assert abs(number - exact) <= tolerance * abs(exact), (name, order, index)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("alpha", [1.5, 2.0, 2.5, 5.0, 20.0])
def test_the_ratio_at_an_output_below_the_range_is_zero(alpha, dtype):
    edge = -1 / (alpha - 1)
    t = torch.tensor([2 * edge, edge * 1.01, edge / 2, 0.0, 3.0], dtype=dtype, requires_grad=True)
    found = amari(alpha).ratio(t)
    (slope,) = torch.autograd.grad(found.sum(), t)
    power = 1 / (alpha - 1)
    exact = [0.0, 0.0, 0.5**power, 1.0, (1 + 3 * (alpha - 1)) ** power]
    assert found.tolist() == pytest.approx(exact, rel=1e-5, abs=0)
    assert torch.isfinite(slope).all()
    assert slope.tolist()[:2] == [0.0, 0.0]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("alpha", [2.0, 2.5, 5.0, 20.0])
def test_from_logit_to_output_to_ratio_nothing_breaks(alpha, dtype):
    """Far below, softplus(w) is lost beside 1 in T, and the ratio read off T is 0; above it is the one of the logit."""
    w = torch.linspace(-300, 300, 601, dtype=dtype, requires_grad=True)
    there_and_back = amari(alpha).ratio(amari(alpha).activation(w))
    (slope,) = torch.autograd.grad(there_and_back.sum(), w)
    assert torch.isfinite(there_and_back).all()
    assert torch.isfinite(slope).all()
    above = w > -1
    torch.testing.assert_close(
        there_and_back[above], amari(alpha).log_ratio(w[above]).exp(), rtol=1e-5, atol=0
    )


@pytest.mark.parametrize("alpha", [-1.0, 0.5])
def test_the_ratio_at_an_output_above_the_range_is_infinite(alpha):
    edge = 1 / (1 - alpha)
    assert amari(alpha).ratio(tensor([edge, 2 * edge])).tolist() == [math.inf, math.inf]


@pytest.mark.parametrize("alpha", [2.0, 5.0, 200.0])
def test_the_optimal_logit_survives_ratios_whose_power_underflows(alpha):
    r = tensor([1e-12, 1e-6, 1e-3, 0.5, 1.0])
    w = amari(alpha).optimal_logit(r)
    assert torch.isfinite(w).all()
    torch.testing.assert_close(amari(alpha).log_ratio(w), r.log(), rtol=1e-12, atol=1e-12)


def exact_divergence(p, q, alpha, beta):
    """Σ q f(p/q) from its definition at 60 digits; α + β = 1, given apart because a float holds no 1 - 1e-40."""
    total = mpf(0)
    for x, y in zip(map(mpf, p.tolist()), map(mpf, q.tolist()), strict=True):
        if x > 0 and y > 0:
            u = x / y
            total += y * (u**alpha - alpha * u - beta) / -(alpha * beta)
        elif x > 0:
            total += x / beta if beta > 0 else mpmath.inf
        elif y > 0:
            total += y / alpha if alpha > 0 else mpmath.inf
    return float(total)


# Small distances to the limits, where 1/(α(α-1)) magnifies every rounding.
distances = st.floats(-12, -2).map(lambda e: 10**e)


@fast
@given(
    pair=laws(zeros=True), at=st.sampled_from([0.0, 1.0]), side=st.sampled_from([-1, 1]), distance=distances
)
def test_near_its_limits_the_divergence_keeps_its_digits(pair, at, side, distance):
    p, q = pair
    p, q = p / p.sum(), q / q.sum()
    alpha = at + side * distance
    with mpmath.workdps(60):
        expected = exact_divergence(p, q, mpf(alpha), 1 - mpf(alpha))
    assert float(amari(alpha).discrete(p, q)) == pytest.approx(expected, rel=1e-12, abs=1e-14)
    assert float(amari(alpha).reverse().discrete(q, p)) == pytest.approx(expected, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("alpha", [1e-12, 1e-30, 1e-200])
def test_reversing_twice_returns_the_divergence(alpha):
    """1 - (1 - α) is 0 for α below 1e-16; the reversed divergence remembers α."""
    p, q = tensor([0.5, 0.5, 0.0]), tensor([0.25, 0.25, 0.5])
    there = amari(alpha)
    back = there.reverse().reverse()
    assert float(there.discrete(p, q)) == float(back.discrete(p, q)) == pytest.approx(0.5 / alpha, rel=1e-9)
    assert float(there.reverse().discrete(q, p)) == pytest.approx(0.5 / alpha, rel=1e-9)
