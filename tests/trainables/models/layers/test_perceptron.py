"""Perceptrons: shapes, ends and slopes."""

from __future__ import annotations

import torch
from torch import nn

from trainables.lipschitz.layers import parts_of
from trainables.lipschitz.parts import Dense, Row
from trainables.models.layers.perceptron import MLPCritic, MLPGenerator, perceptron


def test_perceptron_ends_in_a_linear_layer() -> None:
    layers = perceptron((2, 5, 3), slope=0.2)
    assert [type(layer) for layer in layers] == [nn.Linear, nn.LeakyReLU, nn.Linear]
    assert layers(torch.zeros(7, 2)).shape == (7, 3)


def test_shapes() -> None:
    assert MLPGenerator(3, (8,), (2,))(torch.zeros(6, 3)).shape == (6, 2)
    assert MLPGenerator(3, (8,), (1, 4, 5))(torch.zeros(6, 3)).shape == (6, 1, 4, 5)
    assert MLPCritic((2,), (8,))(torch.zeros(6, 2)).shape == (6, 1)
    assert MLPCritic((1, 4, 5), (8,))(torch.zeros(6, 1, 4, 5)).shape == (6, 1)


def test_leading_dimensions_are_kept() -> None:
    assert MLPGenerator(3, (8,), (2,))(torch.zeros(4, 6, 3)).shape == (4, 6, 2)
    assert MLPCritic((2,), (8,))(torch.zeros(4, 6, 2)).shape == (4, 6, 1)
    assert MLPCritic((2, 2), (8,))(torch.zeros(4, 6, 2, 2)).shape == (4, 6, 1)


def test_slopes_below_zero() -> None:
    generator, critic = MLPGenerator(1, (1,), (1,)), MLPCritic((1,), (1,))
    with torch.no_grad():  # x ↦ activation(x)
        for network in (generator, critic):
            for parameter, value in zip(network.parameters(), (1.0, 0.0, 1.0, 0.0), strict=True):
                parameter.fill_(value)
        x = torch.tensor([[-2.0], [3.0]])
        assert generator(x).flatten().tolist() == [0.0, 3.0]
        torch.testing.assert_close(critic(x).flatten(), torch.tensor([-0.4, 3.0]))


def test_both_are_layers_in_a_row() -> None:
    # Only then can their Lipschitz constants be bounded by the norms of their layers.
    assert parts_of(MLPCritic((2,), (8, 8))) == Row((Dense("0.weight"), Dense("2.weight"), Dense("4.weight")))
    assert parts_of(MLPCritic((1, 2, 2), (8,))) == Row((Dense("1.weight"), Dense("3.weight")))
    layers = Row((Dense("layers.0.weight"), Dense("layers.2.weight")))
    assert parts_of(MLPGenerator(2, (8,), (1, 2, 2))) == layers
