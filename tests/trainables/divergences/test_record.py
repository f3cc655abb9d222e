"""The record of a divergence: its sum over two laws, limits and gradients at zeros, constants and scaling."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError

import pytest
import torch
from hypothesis import settings

from tests.trainables.divergences.family import FAMILY, P, Q, tensor, value
from trainables.divergences import DIVERGENCES
from trainables.divergences.record import undefined

fast = settings(max_examples=60)


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


def test_bad_constants_are_refused():
    for factor in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ValueError, match="positive"):
            DIVERGENCES["kl"].scaled(factor)
    for low, high in ((2.0, 1.0), (0.0, 1.0), (1.0, math.inf)):
        with pytest.raises(ValueError, match="range of ratios"):
            DIVERGENCES["kl"].lipschitz_on(low, high)
        with pytest.raises(ValueError, match="range of ratios"):
            DIVERGENCES["kl"].strong_convexity_on(low, high)


def test_what_does_not_exist_raises_its_reason():
    with pytest.raises(ValueError, match=r"^there is no such thing$"):
        undefined("there is no such thing")(tensor(1.0))


@pytest.mark.parametrize("div", FAMILY, ids=lambda d: d.name)
def test_a_scaled_divergence_is_a_multiple_with_the_same_logits(div):
    scaled, w = div.scaled(2.5), tensor([-1.5, 0.2, 3.0])
    assert float(scaled.discrete(P, Q)) == pytest.approx(2.5 * float(div.discrete(P, Q)), rel=1e-12)
    assert torch.allclose(
        scaled.conjugate(scaled.activation(w)), scaled.conjugate_of_activation(w), atol=1e-7
    )
    assert float(scaled.reverse().discrete(Q, P)) == pytest.approx(float(scaled.discrete(P, Q)), rel=1e-9)
    if div.recovers_ratio:
        assert torch.allclose(scaled.ratio(scaled.optimal_critic(P / Q)), P / Q, rtol=1e-9)
        assert torch.equal(scaled.log_ratio(w), div.log_ratio(w))


def test_the_integrand_has_its_limits_where_a_law_has_no_mass():
    p, q = tensor([0.0, 0.4, 0.0, 0.6]), tensor([0.3, 0.0, 0.0, 0.7])
    hellinger = DIVERGENCES["hellinger"].integrand(p, q)
    assert hellinger.tolist() == pytest.approx([0.3, 0.4, 0.0, (math.sqrt(0.6) - math.sqrt(0.7)) ** 2])
    kl = DIVERGENCES["kl"].integrand(p, q)
    assert kl.tolist() == pytest.approx([0.0, math.inf, 0.0, 0.6 * math.log(6 / 7)])


def test_a_pack_of_laws_is_summed_along_the_last_axis():
    p, q = torch.stack([P, Q]), torch.stack([Q, P])
    assert DIVERGENCES["kl"].discrete(p, q).tolist() == pytest.approx([value("kl"), value("reverse_kl")])


def test_a_record_shows_its_name_and_cannot_be_changed():
    assert repr(DIVERGENCES["kl"]) == "Divergence(kl)"
    assert repr(DIVERGENCES["kl"].scaled(0.5)) == "Divergence(0.5·kl)"
    with pytest.raises(FrozenInstanceError):
        DIVERGENCES["kl"].name = "other"
