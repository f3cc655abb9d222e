"""The naive PR-GAN is right on paper and mute in practice: its gradient lives on the edge λr = 1 alone."""

from __future__ import annotations

import math

import pytest
import torch

from tests.trainables.objectives.gaussian_pair import LINE, Pair, masses
from trainables.divergences import pr_divergence
from trainables.objectives.naive_pr import NaivePR
from trainables.objectives.pr import PR


@pytest.mark.parametrize("lam", [0.3, 1.0, 4.0])
def test_losses_by_hand(lam: float) -> None:
    real, fake = torch.randn(2, 1, 9, generator=torch.Generator().manual_seed(0)).double()
    member = NaivePR(lam=lam)
    bound = lam * real.sigmoid().mean() - fake.sigmoid().mean() - max(lam, 1) + 1
    torch.testing.assert_close(member.critic_loss(real, fake)[0], -bound)
    expected = -fake.sigmoid().mean() - max(lam, 1) + 1
    torch.testing.assert_close(member.generator_loss(fake, {})[0], expected)


@pytest.mark.parametrize("lam", [0.5, 1.0, 3.0])
def test_the_bound_at_the_best_critic_is_the_divergence(lam: float) -> None:
    p, q = torch.rand(2, 8, generator=torch.Generator().manual_seed(1)).double().softmax(-1)
    w = torch.where(lam * p > q, 40.0, -40.0).double().unsqueeze(-1)
    member = NaivePR(lam=lam)
    nothing = torch.zeros_like(w)
    # Loss of each atom alone; what the zeros on the other side add is taken off.
    real = member.critic_loss(w, nothing) - member.critic_loss(nothing, nothing)
    fake = member.critic_loss(nothing, w) - member.critic_loss(nothing, nothing)
    bound = -(p * real + q * fake).sum() - member.critic_loss(nothing, nothing)[0]
    torch.testing.assert_close(bound, pr_divergence(p, q, lam))


def test_of_the_ratio_it_knows_one_side_from_the_other() -> None:
    member = NaivePR(lam=4.0)
    bend = member.bend({"likelihood": torch.zeros(3)})
    torch.testing.assert_close(bend, torch.full((3,), -math.log(4.0)))
    score = member.log_ratio(torch.tensor([[-1.0, 0.0, 1.0]])) - bend[0]
    torch.testing.assert_close(score, torch.tensor([[-1.0, 0.0, 1.0]]))


def test_its_gradient_vanishes_where_that_of_pr_gan_does_not() -> None:
    # Q = N(3, 1) far from P = N(0, 1), λ = 2. A critic as sharp as k: naive PR hears the edge alone, ever fewer points.
    pair, lam = Pair(3.0, 1.0), 2.0
    naive = [
        abs(float(pair.pull(NaivePR(lam=lam), lambda w, k=k: k * (w + math.log(lam)))[0])) for k in (1, 4, 16)
    ]
    proposed = abs(float(pair.pull(PR(lam=lam), lambda w: w, lam=lam)[0]))
    assert proposed == pytest.approx(3.0, abs=0.4)  # E_Q|∂ log r/∂x| = m, but for the few points with λr > 1
    assert max(naive) < 0.2 * proposed
    # Few samples hear a thousandth of the greatest gradient or more; of PR-GAN all below the edge hear all of it.
    for k, most in ((4, 0.5), (16, 0.15)):
        w = (k * (pair.log_ratio(3.0 + LINE.x) + math.log(lam))).requires_grad_()
        (each,) = torch.autograd.grad(NaivePR(lam=lam).generator_loss(w.unsqueeze(-1), {}).sum(), w)
        assert float(masses()[each.abs() > 0.25e-3].sum()) < most


@pytest.mark.parametrize("lam", [0.0, -2.0, math.inf, math.nan])
def test_a_lam_that_is_no_weight_is_refused(lam: float) -> None:
    with pytest.raises(ValueError, match=r"^λ must be positive and finite, got "):
        NaivePR(lam=lam)
    assert NaivePR(lam=1).group() != NaivePR(lam=2).group()  # its critic depends on λ


def test_it_is_trained_and_read_at_its_lam() -> None:
    assert NaivePR(lam=20.0).lam_span() == (20.0, 20.0)
