"""What a critic proves: the dual bound from below, the primal estimate, and how far off it can be."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainables.divergences.family import P, Q, tensor, value
from trainables.divergences import DIVERGENCES, bregman, dual_bound, primal_error_bound, primal_estimate

fast = settings(max_examples=60)


def test_bounds_at_their_edges():
    assert primal_error_bound(3.0, 0.5, 2.0) == pytest.approx(3 * math.sqrt(0.5))
    assert primal_error_bound(1.0, 0.5, 0.0) == math.inf
    assert primal_error_bound(1.0, 0.0, 0.0) == 0
    with pytest.raises(ValueError, match="non-negative"):
        primal_error_bound(1.0, -0.5, 1.0)
    with pytest.raises(ValueError, match="exactly one"):
        primal_estimate(DIVERGENCES["kl"])
    with pytest.raises(ValueError, match="exactly one"):
        primal_estimate(DIVERGENCES["kl"], ratio=P / Q, log_ratio=(P / Q).log())


def test_without_weights_every_sample_counts_the_same():
    """Atoms repeated by their masses: 5, 3 and 2 of ten real samples, 2, 2 and 6 of ten generated ones."""
    kl = DIVERGENCES["kl"]
    best = kl.optimal_critic(P / Q)
    at_real, at_fake = (best.repeat_interleave(torch.tensor(n)) for n in ([5, 3, 2], [2, 2, 6]))
    assert float(dual_bound(kl, at_real, at_fake)) == pytest.approx(value("kl"), rel=1e-12)
    ratios_at_fake = (P / Q).repeat_interleave(torch.tensor([2, 2, 6]))
    assert float(primal_estimate(kl, ratio=ratios_at_fake)) == pytest.approx(value("kl"), rel=1e-12)


@fast
@given(shift=st.floats(-3, 3).filter(lambda s: abs(s) > 1e-3))
def test_a_critic_off_by_a_constant_pays_the_closed_form(shift):
    """For KL, E_P[T+c] - E_Q[e^{T+c-1}] = KL + c - (e^c - 1): the gap is e^c - 1 - c."""
    kl = DIVERGENCES["kl"]
    best = kl.optimal_critic(P / Q)
    bound = dual_bound(kl, best + shift, best + shift, weights_real=P, weights_fake=Q)
    assert value("kl") - float(bound) == pytest.approx(math.expm1(shift) - shift, rel=1e-9, abs=1e-12)


def test_a_pack_of_critics_is_read_along_the_last_axis():
    chi2 = DIVERGENCES["chi2"]
    critics = torch.stack([chi2.optimal_critic(P / Q), tensor([0.0, 0.0, 0.0]), tensor([-1.0, 0.5, 2.0])])
    together = dual_bound(chi2, critics, critics, weights_real=P, weights_fake=Q)
    alone = [dual_bound(chi2, t, t, weights_real=P, weights_fake=Q) for t in critics]
    assert torch.equal(together, torch.stack(alone))
    assert float(together[1]) == 0.0  # T = 0 proves nothing: f*(0) = 0
    ratio = torch.stack([P / Q, torch.ones(3, dtype=torch.float64)])
    estimates = primal_estimate(chi2, log_ratio=ratio.log(), weights=Q)
    assert estimates.tolist() == pytest.approx([value("chi2"), 0.0], abs=1e-12)


@fast
@given(a=st.floats(0.05, 20), b=st.floats(0.05, 20))
def test_the_bregman_divergence_of_chi2_is_a_square_and_that_of_kl_its_closed_form(a, b):
    first, second = tensor([a]), tensor([b])
    assert float(bregman(DIVERGENCES["chi2"], first, second)) == pytest.approx(
        (a - b) ** 2, rel=1e-9, abs=1e-9
    )
    closed = a * math.log(a / b) - a + b
    assert float(bregman(DIVERGENCES["kl"], first, second)) == pytest.approx(closed, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", ["kl", "chi2", "js", "hellinger"])
def test_the_dual_gap_is_the_expected_bregman_divergence_true_ratio_first(name):
    div = DIVERGENCES[name]
    estimate = tensor([2.0, 1.1, 0.4])
    critic = div.f_prime(estimate)
    gap = value(name) - float(dual_bound(div, critic, critic, weights_real=P, weights_fake=Q))
    assert gap == pytest.approx(float((Q * bregman(div, P / Q, estimate)).sum()), rel=1e-9)
    assert gap != pytest.approx(float((Q * bregman(div, estimate, P / Q)).sum()), rel=1e-3) or name == "chi2"
