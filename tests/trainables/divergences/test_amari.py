"""Amari's α-divergences: the named members at special α, continuity there, and a softplus exact in its tails."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainables.divergences.family import laws, ratios, tensor
from trainables.divergences import DIVERGENCES, amari
from trainables.divergences.amari import inverse_softplus, log_softplus, softplus

fast = settings(max_examples=60, deadline=None)


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
