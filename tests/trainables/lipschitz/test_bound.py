"""The product of norms is an upper bound, and is not given where it would be none."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from trainables.lipschitz.bound import norm_of, product_bound
from trainables.lipschitz.parts import Row, Sum
from trainables.lipschitz.slopes import jacobian_norms
from trainables.models.layers.branches import Branches
from trainables.models.layers.groupsort import GroupSort
from trainables.models.layers.perceptron import MLPCritic
from trainables.training.stack import Stack


def test_bound_is_the_product_of_exact_norms() -> None:
    net = Stack(lambda: MLPCritic((2,), (8, 8)))
    parameters = net.unflatten(torch.randn(4, net.size, generator=torch.Generator().manual_seed(3)))
    expected = torch.ones(4, dtype=torch.float64)
    for name in ("0.weight", "2.weight", "4.weight"):
        expected *= torch.stack([torch.linalg.svdvals(row.double())[0] for row in parameters[name]])
    bound = product_bound(net, parameters)
    assert bound is not None
    torch.testing.assert_close(bound.double(), expected, rtol=1e-5, atol=0)


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), width=st.integers(1, 6))
def test_no_slope_exceeds_the_bound(seed: int, width: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    net = Stack(lambda: MLPCritic((2,), (width,)))
    parameters = net.unflatten(torch.randn(3, net.size, generator=generator))
    x, y = torch.randn(2, 3, 50, 2, generator=generator)
    slope = (net(parameters, {}, x) - net(parameters, {}, y)).abs().squeeze(-1) / (x - y).norm(dim=-1)
    bound = product_bound(net, parameters)
    assert bound is not None
    assert bool((slope <= bound[:, None] * (1 + 1e-4)).all())


def test_what_has_a_part_of_another_kind_has_no_bound() -> None:
    net = Stack(lambda: nn.Sequential(nn.Linear(2, 4), nn.LayerNorm(4), nn.Linear(4, 1)))
    assert product_bound(net, net.unflatten(torch.ones(2, net.size))) is None


def image_network() -> nn.Module:
    """Everything that is bounded, one after the other."""
    block = Branches(
        nn.Sequential(nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1), nn.AvgPool2d(2)),
        nn.Sequential(nn.AvgPool2d(2), nn.Conv2d(4, 4, 1)),
    )
    ends = nn.Sequential(nn.Upsample(scale_factor=2), nn.ConvTranspose2d(4, 2, 4, 2, 1), GroupSort())
    return nn.Sequential(
        nn.Unflatten(1, (1, 8, 8)), nn.Conv2d(1, 4, 4, 2, 1), nn.LeakyReLU(0.2), block, ends, nn.Flatten(),
        nn.Linear(2 * 8 * 8, 3),
    )  # fmt: skip


def test_the_bound_of_a_network_of_images_holds_and_is_that_of_its_parts() -> None:
    net = Stack(image_network, torch.zeros(2, 64))
    generator = torch.Generator().manual_seed(0)
    parameters = net.unflatten(0.5 * torch.randn(3, net.size, generator=generator))
    buffers = net.initial([0, 1, 2], torch.device("cpu"))[1]
    buffers = {name: values + 1 if "var" in name else values for name, values in buffers.items()}
    bound = product_bound(net, {**parameters, **buffers})
    assert bound is not None
    x = torch.randn(3, 40, 64, generator=generator)
    slopes = jacobian_norms(lambda z: net(parameters, buffers, z), x, iterations=30).amax(dim=1)
    assert bool((slopes <= bound * (1 + 1e-5)).all())
    assert bool((slopes > 0.01 * bound).all())
    one = {name: values[:1] for name, values in {**parameters, **buffers}.items()}
    assert net.parts is not None
    first, block, up, back, last = net.parts.parts
    assert isinstance(block, Sum)
    by_hand = (
        unrolled(lambda z: torch.conv2d(z, one["1.weight"][0], stride=2, padding=1), (1, 8, 8))
        * (
            (one["3.branch.0.weight"].abs() / (one["3.branch.0.running_var"] + 1e-5).sqrt()).max()
            * unrolled(lambda z: torch.conv2d(z, one["3.branch.2.weight"][0], padding=1), (4, 4, 4))
            * 0.5
            + 0.5 * unrolled(lambda z: torch.conv2d(z, one["3.skip.1.weight"][0]), (4, 2, 2))
        )
        * 2
        * unrolled(lambda z: torch.conv_transpose2d(z, one["4.1.weight"][0], stride=2, padding=1), (4, 4, 4))
        * torch.linalg.matrix_norm(one["6.weight"][0], ord=2)
    )
    assert float(norm_of(net.parts, one)) == pytest.approx(float(by_hand), rel=1e-4)
    for part in (first, up, back, last):
        assert float(norm_of(part, one)) > 0


def unrolled(function: Callable[[Tensor], Tensor], shape: tuple[int, ...]) -> Tensor:
    """The norm of a linear map, as a matrix of what it makes of unit images."""
    size = prod(shape)
    return torch.linalg.matrix_norm(function(torch.eye(size).reshape(size, *shape)).flatten(1), ord=2)


def test_an_empty_row_is_the_identity() -> None:
    assert norm_of(Row(()), {"w": torch.ones(3, 1)}).tolist() == [1.0, 1.0, 1.0]
