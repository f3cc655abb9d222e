"""Perceptrons: shapes, and a critic whose logit is bounded without losing its Lipschitz constant."""

from __future__ import annotations

import torch
from torch import nn

from trainables.models.layers.perceptron import MLPCritic, MLPGenerator, perceptron


def test_perceptron_ends_in_a_linear_layer() -> None:
    layers = perceptron((2, 5, 3), slope=0.2)
    assert [type(layer) for layer in layers] == [nn.Linear, nn.LeakyReLU, nn.Linear]
    assert layers(torch.zeros(7, 2)).shape == (7, 3)


def test_shapes() -> None:
    assert MLPGenerator(3, (8,), 2)(torch.zeros(4, 6, 3)).shape == (4, 6, 2)
    assert MLPCritic(2, (8,))(torch.zeros(4, 6, 2)).shape == (4, 6)


def test_logit_is_bounded_and_keeps_order_near_zero() -> None:
    critic = MLPCritic(1, (4,))
    with torch.no_grad():
        for parameter in critic.parameters():
            parameter.mul_(1e4)
        logit = critic(torch.linspace(-1e3, 1e3, 101)[:, None])
        raw = critic.layers(torch.tensor([[1e-9]])).squeeze()
    assert bool((logit.abs() <= 30.0).all())
    assert torch.isfinite(logit.exp()).all()
    assert torch.isfinite(raw)


def test_the_bound_has_slope_at_most_one_and_one_at_zero() -> None:
    critic = MLPCritic(1, (1,))
    with torch.no_grad():  # layers(x) = x for x > 0
        for parameter, value in zip(critic.parameters(), (1.0, 0.0, 1.0, 0.0), strict=True):
            parameter.fill_(value)
    x = torch.linspace(1e-3, 100, 200, dtype=torch.float64)[:, None].requires_grad_()
    (slope,) = torch.autograd.grad(critic.double()(x).sum(), x)
    assert bool((slope <= 1.0).all())
    assert float(slope[0]) > 0.999
    assert bool((slope.diff(dim=0) <= 0).all())
