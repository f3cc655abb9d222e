"""Bounds of norms are bounds, close ones, and networks made with them are contractions."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from trainables.models.layers.contractive import (
    Contractive,
    ConvLayer,
    DenseLayer,
    conv_norm_bound,
    norm_bound,
)


@pytest.mark.parametrize("size", [(2, 64), (64, 2), (64, 64), (1, 1)])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_bound_is_above_the_norm_and_near_it(size: tuple[int, int], scale: float) -> None:
    generator = torch.Generator().manual_seed(0)
    weights = scale * torch.randn(5, *size, generator=generator)
    norms = torch.linalg.matrix_norm(weights.double(), 2)
    bounds = norm_bound(weights)
    assert bool((bounds >= norms).all())
    assert bool((bounds <= 1.02 * norms).all())


def test_equal_singular_values_are_the_worst_case() -> None:
    assert 1.0 <= float(norm_bound(torch.eye(64))) <= 64 ** (1 / 256) * (1 + 1e-5)


def test_zeros_have_a_gradient_of_zeros() -> None:
    weight = torch.zeros(3, 4, requires_grad=True)
    bound = norm_bound(weight)
    assert float(bound.detach()) < 1e-6
    assert torch.equal(torch.autograd.grad(bound, weight)[0], torch.zeros(3, 4))


@pytest.mark.parametrize("side", [(4, 5), (1, 2)])
def test_a_convolution_is_bounded_as_the_matrix_it_is(side: tuple[int, int]) -> None:
    kernel = torch.randn(3, 2, 3, 3, generator=torch.Generator().manual_seed(1))
    unit = torch.eye(2 * side[0] * side[1]).reshape(-1, 2, *side)
    matrix = F.conv2d(unit, kernel, padding=1).flatten(1)
    norm, bound = float(torch.linalg.matrix_norm(matrix, 2)), float(conv_norm_bound(kernel, *side))
    assert norm <= bound
    flat = 3.0 * float(torch.linalg.matrix_norm(kernel.flatten(1), 2))  # the bound by the kernel laid flat
    assert bound < flat


@pytest.mark.parametrize("shape", [(3,), (2, 4, 4)])
def test_the_network_contracts_whatever_its_parameters_are(shape: tuple[int, ...]) -> None:
    generator = torch.Generator().manual_seed(2)
    net = Contractive(shape, 8, 0.7).double()
    x = torch.randn(1, *shape, generator=generator, dtype=torch.float64)
    assert float(net.function()(x).detach().abs().max()) == 0.0  # at the start
    steepest = 0.0
    for scale in (0.1, 1.0, 10.0):
        with torch.no_grad():
            for parameter in net.parameters():
                parameter.copy_(scale * torch.randn(parameter.shape, generator=generator))
        jacobian = torch.autograd.functional.jacobian(net.function(), x).reshape(x.numel(), x.numel())
        steepest = max(steepest, float(torch.linalg.matrix_norm(jacobian, 2)))
    assert 0.02 < steepest <= 0.7


def test_weights_below_their_limit_are_left_alone() -> None:
    dense, conv = DenseLayer(3, 3), ConvLayer(2, 2, 3, (4, 4))
    for layer in (dense, conv):
        limit = float(layer.bound().detach())
        assert torch.equal(layer.limited(1.1 * limit), layer.weight)
        torch.testing.assert_close(layer.limited(limit / 2), layer.weight / 2)
