"""The PR-divergence in all its forms, at the ends of λ, and with any weight on the fakes."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainables.divergences.family import P, Q, laws, ratios, tensor, value
from trainables.divergences import pr, pr_conjugate, pr_divergence, pr_f, pr_f_prime

fast = settings(max_examples=60)


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


weights = st.floats(0.05, 20)


@fast
@given(u=ratios, lam=weights, fake=weights)
def test_the_generator_has_a_kink_where_both_weights_meet(u, lam, fake):
    expected = max(lam * float(u), fake) - max(lam, fake)
    assert float(pr_f(u, lam, fake)) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert float(pr_f_prime(u, lam, fake)) == (lam if lam * float(u) > fake else 0.0)
    assert float(pr_f(tensor(fake / lam), lam, fake)) == pytest.approx(fake - max(lam, fake), abs=1e-12)


@fast
@given(share=st.floats(-1, 1), lam=weights, fake=weights)
def test_the_conjugate_is_the_supremum_over_all_ratios(share, lam, fake):
    """f is piecewise linear, so the supremum over u ≥ 0 is at 0 or at the kink b/λ."""
    t = share * lam
    best = max(t * u - float(pr_f(tensor(u), lam, fake)) for u in (0.0, fake / lam))
    assert float(pr_conjugate(tensor(t), lam, fake)) == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert float(pr_conjugate(tensor(lam * 1.01), lam, fake)) == math.inf


def test_the_divergence_of_a_tensor_of_lambdas_is_each_of_them():
    lam = tensor([0.0, 0.5, 1.0, 3.0, math.inf])
    together = pr_divergence(P, Q, lam)
    assert together.tolist() == [float(pr_divergence(P, Q, float(x))) for x in lam]
    assert together.tolist() == pytest.approx([0.0, 0.05, 0.4, 0.0, 0.0], abs=1e-15)


def test_a_tiny_divergence_keeps_its_digits():
    """1 - α_1 would lose them to cancellation; the sum of positive parts does not."""
    gap = 2.0**-40
    p, q = tensor([0.5 + gap, 0.5 - gap]), tensor([0.5, 0.5])
    assert float(pr_divergence(p, q, 1.0)) == gap
