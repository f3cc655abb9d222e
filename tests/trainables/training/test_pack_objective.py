"""A pack's losses are its trials' own; the bend tells where λ acts."""

from __future__ import annotations

import math

import torch

from trainables.objectives.fgan import KL
from trainables.objectives.mle import MaximumLikelihood
from trainables.objectives.pr import PR
from trainables.training.pack_objective import PackObjective

CPU = torch.device("cpu")


def test_sides_are_shares_below_and_above_one_over_lam() -> None:
    pack = PackObjective([PR(lam=1.0), PR(lam=4.0), KL()], CPU)
    log_ratio = torch.tensor([[-2.0, -1.0, 0.0, 1.0]]).repeat(3, 1)
    expected = torch.tensor([[0.5, 0.25], [0.25, 0.75], [0.0, 0.0]])  # at λ = 4 the border is at -1.39
    torch.testing.assert_close(pack.sides(log_ratio), expected)


def test_the_bend_is_that_of_each_trial_and_nan_without_one() -> None:
    pack = PackObjective([KL(), PR(lam=4.0), PR(lam=0.5, form="primal")], CPU)
    assert bool(pack.bend[0].isnan())
    torch.testing.assert_close(pack.bend[1:], torch.tensor([-math.log(4.0), math.log(2.0)]))


def test_a_trial_that_hears_no_critic_has_no_loss_and_no_gradient() -> None:
    logit = torch.ones(2, 3, requires_grad=True)
    loss = PackObjective([MaximumLikelihood(), KL()], CPU).generator_loss(logit, torch.zeros(2))
    assert float(loss[0].detach()) == 0.0
    (gradient,) = torch.autograd.grad(loss.sum(), logit)
    assert not gradient[0].any()
    assert gradient[1].all()
