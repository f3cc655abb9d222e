"""What single members promise: values, limits, relations between members, lookups."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainables.divergences.family import laws, ratios, tensor
from trainables.divergences import (
    DIVERGENCES,
    amari,
    divergence,
    pr,
    pr_divergence,
    primal_error_bound,
    primal_estimate,
)
from trainables.divergences.omega import log_omega

fast = settings(max_examples=60, deadline=None)
P, Q = tensor([0.5, 0.3, 0.2]), tensor([0.2, 0.2, 0.6])


def value(name, p=P, q=Q):
    return float(DIVERGENCES[name].discrete(p, q))


def test_values_on_one_pair_by_their_definitions():
    middle = (P + Q) / 2
    kl = lambda a, b: float((a * (a / b).log()).sum())  # noqa: E731
    assert value("kl") == pytest.approx(kl(P, Q))
    assert value("reverse_kl") == pytest.approx(kl(Q, P))
    assert value("jeffreys") == pytest.approx(kl(P, Q) + kl(Q, P))
    assert value("js") == pytest.approx((kl(P, middle) + kl(Q, middle)) / 2)
    assert value("gan") == pytest.approx(2 * value("js") - math.log(4))
    assert value("tv") == pytest.approx(0.4)
    assert value("chi2") == pytest.approx(float(((P - Q) ** 2 / Q).sum()))
    assert value("hellinger") == pytest.approx(float(((P.sqrt() - Q.sqrt()) ** 2).sum()))


def test_laws_that_differ_in_support():
    p, q = tensor([0.5, 0.5, 0.0]), tensor([0.0, 0.25, 0.75])
    expected = {"kl": math.inf, "reverse_kl": math.inf, "jeffreys": math.inf, "chi2": math.inf, "tv": 0.75}
    for name, number in expected.items():
        assert value(name, p, q) == pytest.approx(number)
    a, b = tensor([1.0, 0.0]), tensor([0.0, 1.0])
    assert value("js", a, b) == pytest.approx(math.log(2))
    assert value("gan", a, b) == pytest.approx(0)
    assert value("hellinger", a, b) == pytest.approx(2)
    # an atom of neither law counts for nothing; KL forgives spurious mass, reverse KL missing mass
    c, d = tensor([1.0, 0.0, 0.0]), tensor([0.5, 0.5, 0.0])
    assert value("kl", c, d) == pytest.approx(math.log(2))
    assert value("reverse_kl", d, c) == pytest.approx(math.log(2))
    assert math.isinf(value("kl", d, c))


def test_a_denormal_probability_does_not_overflow():
    p, q = tensor([0.5, 0.5]), tensor([5e-324, 1.0])
    for name in ("js", "gan", "hellinger", "tv", "reverse_kl"):
        limit = value(name, p, tensor([0.0, 1.0])) if name != "reverse_kl" else math.log(2)
        assert value(name, p, q) == pytest.approx(limit, rel=1e-6), name


def test_gradient_of_a_divergence_survives_zeros():
    p = tensor([0.5, 0.5, 0.0])
    q = tensor([0.3, 0.3, 0.4]).requires_grad_()
    (gradient,) = torch.autograd.grad(DIVERGENCES["kl"].discrete(p, q), q)
    assert torch.allclose(gradient, -p / q.detach())


@pytest.mark.parametrize(
    ("p", "q", "words"),
    [
        ([0.5, 0.6], [0.5, 0.5], "sum to 1"),
        ([0.5, 0.5], [1.5, -0.5], "non-negative"),
        ([math.nan, 0.5], [0.5, 0.5], "finite"),
    ],
)
def test_what_is_not_a_law_is_refused(p, q, words):
    with pytest.raises(ValueError, match=words):
        DIVERGENCES["kl"].discrete(tensor(p), tensor(q))


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
@given(pair=laws(zeros=True), log_lam=st.floats(-6, 6))
def test_pr_divergence_in_all_its_forms(pair, log_lam):
    p, q = pair
    lam = math.exp(log_lam)
    number = float(pr(lam).discrete(p, q))
    precision = float(torch.minimum(lam * p, q).sum())
    assert number == pytest.approx(float(pr_divergence(p, q, lam)), abs=1e-11 * (1 + lam))
    assert number == pytest.approx(min(1, lam) - precision, abs=1e-11 * (1 + lam))
    half = float((lam * p - q).abs().sum() / 2 - abs(lam - 1) / 2)
    assert number == pytest.approx(half, abs=1e-11 * (1 + lam))
    # D_λ(Q‖P) = λ D_{1/λ}(P‖Q), and D_1 is TV
    assert float(pr(lam).discrete(q, p)) == pytest.approx(
        lam * float(pr(1 / lam).discrete(p, q)), abs=1e-10 * (1 + lam)
    )
    assert float(pr(1.0).discrete(p, q)) == pytest.approx(value("tv", p, q), abs=1e-12)


def test_pr_at_its_ends_reads_the_supports():
    p, q = tensor([0.5, 0.5, 0.0]), tensor([0.0, 0.25, 0.75])
    assert float(pr(math.inf).discrete(p, q)) == pytest.approx(0.75)  # Q(p = 0)
    assert float(pr_divergence(p, q, math.inf)) == pytest.approx(0.75)
    assert float(pr(1e12).discrete(p, q)) == pytest.approx(0.75, abs=1e-3)
    assert float(pr(math.inf).reverse().discrete(p, q)) == pytest.approx(0.5)  # P(q = 0)
    assert float(pr(math.inf).reverse().reverse().discrete(p, q)) == pytest.approx(0.75)
    assert float(pr(0.0).discrete(p, q)) == 0
    assert float(pr(0.0).reverse().discrete(p, q)) == pytest.approx(0, abs=1e-15)
    with pytest.raises(ValueError, match="no critic"):
        pr(math.inf).activation(tensor(0.0))


@pytest.mark.parametrize("lam", [-0.1, math.nan, torch.tensor([0.5, -1.0])])
def test_pr_refuses_what_is_no_trade_off(lam):
    with pytest.raises(ValueError, match="λ of a PR-divergence"):
        pr(lam)


@fast
@given(z=st.floats(-700, 700))
def test_log_omega_solves_its_equation(z):
    x = tensor(z).requires_grad_()
    y = log_omega(x)
    assert float((y.exp() + y).detach()) == pytest.approx(z, rel=1e-12, abs=1e-12)
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    e = float(y.detach().exp())
    assert float(first.detach()) == pytest.approx(1 / (1 + e), rel=1e-10)
    assert float(second) == pytest.approx(-e / (1 + e) ** 3, rel=1e-7, abs=1e-300)


def test_lookup():
    assert divergence("kl") is DIVERGENCES["kl"]
    assert divergence("amari", alpha=0.5).name == "amari(0.5)"
    assert divergence("pr", lam=2.0).lipschitz == 2.0
    for arguments, words in [
        (("jefreys",), "did you mean 'jeffreys'"),
        (("zzz",), "choose one of"),
        (("amari",), "needs its α"),
        (("pr",), "needs its λ"),
        (("kl", 0.5), "only amari"),
        (("kl", None, 0.5), "only pr"),
        (("amari", math.inf), "finite"),
    ]:
        with pytest.raises(ValueError, match=words):
            divergence(*arguments)


def test_bounds_at_their_edges():
    assert primal_error_bound(3.0, 0.5, 2.0) == pytest.approx(3 * math.sqrt(0.5))
    assert primal_error_bound(1.0, 0.5, 0.0) == math.inf
    assert primal_error_bound(1.0, 0.0, 0.0) == 0
    with pytest.raises(ValueError, match="non-negative"):
        primal_error_bound(1.0, -0.5, 1.0)
    with pytest.raises(ValueError, match="exactly one"):
        primal_estimate(DIVERGENCES["kl"])
    with pytest.raises(ValueError, match="positive"):
        DIVERGENCES["kl"].scaled(0.0)
    with pytest.raises(ValueError, match="range of ratios"):
        DIVERGENCES["kl"].lipschitz_on(2.0, 1.0)
