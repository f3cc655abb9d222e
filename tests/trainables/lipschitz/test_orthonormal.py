"""The iteration makes singular values equal, and never passes 1."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from trainables.lipschitz.orthonormal import can_be_orthonormal, orthonormal, orthonormal_weights
from trainables.models.layers.perceptron import MLPCritic, MLPGenerator
from trainables.training.stack import Stack


@pytest.mark.parametrize(("rows", "columns"), [(6, 6), (3, 8), (8, 3), (1, 5)])
def test_singular_values_become_1_from_below(rows: int, columns: int) -> None:
    weight = torch.randn(4, rows, columns, generator=torch.Generator().manual_seed(0))
    for iterations in (1, 5, 60):
        values = torch.linalg.svdvals(orthonormal(weight, iterations))
        assert float(values.max()) <= 1 + 1e-5
    torch.testing.assert_close(values, torch.ones_like(values), rtol=1e-4, atol=0)


def test_an_orthonormal_matrix_stays_and_zeros_do_not_spoil_the_others() -> None:
    turned = torch.linalg.qr(torch.randn(5, 5, generator=torch.Generator().manual_seed(1)))[0]
    found = orthonormal(torch.stack((3 * turned, torch.zeros(5, 5))), 60)
    torch.testing.assert_close(found[0], turned, rtol=0, atol=1e-4)
    assert bool((found[1] == 0).all())


def test_every_layer_gets_its_share_and_biases_stay() -> None:
    net = Stack(lambda: MLPCritic((2,), (8, 8)))
    parameters = net.unflatten(torch.randn(2, net.size, generator=torch.Generator().manual_seed(2)))
    made = orthonormal_weights(net, parameters, torch.tensor([8.0, 1.0]), 60)
    assert torch.equal(made["0.bias"], parameters["0.bias"])
    for name in ("0.weight", "2.weight", "4.weight"):
        values = torch.linalg.svdvals(made[name])
        torch.testing.assert_close(values[0], torch.full_like(values[0], 2.0), rtol=1e-3, atol=0)
        torch.testing.assert_close(values[1], torch.ones_like(values[1]), rtol=1e-3, atol=0)


def test_only_linear_layers_in_a_row_can_be_made_so() -> None:
    assert can_be_orthonormal(Stack(lambda: MLPGenerator(2, (4,), (2,))))
    assert not can_be_orthonormal(Stack(lambda: nn.Sequential(nn.Conv2d(1, 1, 3)), torch.zeros(2, 1, 4, 4)))
    assert not can_be_orthonormal(Stack(lambda: nn.Sequential(nn.Linear(2, 2), nn.LayerNorm(2))))
