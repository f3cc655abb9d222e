"""The hinge loss of points counted by hand."""

from __future__ import annotations

import pytest
import torch

from trainables.objectives.hinge import Hinge


def test_hinge() -> None:
    real, fake = torch.tensor([[2.0, 0.0]]), torch.tensor([[-3.0, 0.5]])
    assert float(Hinge().critic_loss(real, fake)) == pytest.approx((0 + 1) / 2 + (0 + 1.5) / 2)
    assert float(Hinge().generator_loss(fake, {})) == pytest.approx(2.5 / 2)
    torch.testing.assert_close(Hinge().log_ratio(fake), fake)


def test_points_beyond_the_margin_teach_the_critic_nothing() -> None:
    real = torch.tensor([[1.5, 0.5]], requires_grad=True)
    fake = torch.tensor([[-1.5, -0.5]], requires_grad=True)
    gradients = torch.autograd.grad(Hinge().critic_loss(real, fake).sum(), (real, fake))
    assert [g.tolist() for g in gradients] == [[[0.0, -0.5]], [[0.0, 0.5]]]


def test_non_saturating_loss_falls_as_the_ratio_rises() -> None:
    logit = torch.linspace(-5, 5, 11).reshape(11, 1).requires_grad_()
    (gradient,) = torch.autograd.grad(Hinge().generator_loss(logit, {}).sum(), logit)
    assert bool((gradient < 0).all())
