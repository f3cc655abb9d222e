"""The norm of a convolution is that of the operator it is: compared with its matrix, written out by torch."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from trainables.lipschitz import convolution
from trainables.lipschitz.convolution import ConvOperator

OPERATORS = [
    ConvOperator(3, 2, (3, 3), (6, 6), 1, 1),
    ConvOperator(4, 3, (4, 4), (8, 8), 2, 1),
    ConvOperator(4, 3, (4, 4), (4, 4), 2, 1),
    ConvOperator(3, 2, (5, 5), (9, 9), 3, 2),
    ConvOperator(3, 3, (3, 3), (7, 7), 2, 1),
    ConvOperator(2, 3, (1, 1), (5, 5), 2, 0),
    ConvOperator(4, 2, (3, 2), (5, 8), 2, 1),
    ConvOperator(2, 2, (4, 4), (4, 4), 1, 0),
]
every = pytest.mark.parametrize("operator", OPERATORS, ids=str)


def kernels(operator: ConvOperator, seed: int = 0) -> Tensor:
    """A kernel of noise, and one that smooths: the first has its norm at some frequency, the second at 0."""
    generator = torch.Generator().manual_seed(seed)
    noise = torch.randn(2, operator.outputs, operator.inputs, *operator.kernel, generator=generator)
    return noise + torch.tensor([0.0, 1.0]).reshape(2, 1, 1, 1, 1)


def exact(operator: ConvOperator, kernel: Tensor) -> Tensor:
    """(T,) the largest singular values of the matrices, one trial after the other."""
    height, width = operator.side
    units = torch.eye(operator.inputs * height * width, dtype=torch.float64)
    units = units.reshape(-1, operator.inputs, height, width)
    rows = [
        torch.conv2d(units, row.double(), stride=operator.stride, padding=operator.padding).flatten(1)
        for row in kernel
    ]
    return torch.stack([torch.linalg.svdvals(row)[0] for row in rows])


@every
def test_unrolled_and_by_power_iteration_the_norm_is_the_largest_singular_value(
    operator: ConvOperator,
) -> None:
    kernel = kernels(operator)
    due = exact(operator, kernel)
    torch.testing.assert_close(operator.unrolled_norm(kernel.double()), due, rtol=1e-10, atol=0)
    torch.testing.assert_close(operator.power_norm(kernel), due, rtol=1e-5, atol=0)
    torch.testing.assert_close(operator.norm(kernel), due.float(), rtol=1e-5, atol=0)


@every
def test_on_the_torus_the_norm_is_that_of_the_circular_operator_and_no_smaller(
    operator: ConvOperator,
) -> None:
    kernel = kernels(operator).double()
    found = operator.circular_norm(kernel)
    assert bool((found >= exact(operator, kernel) * (1 - 1e-12)).all())
    round_ = circular(operator)
    size = torch.Size(round_.image).numel()
    units = torch.eye(size, dtype=torch.float64).reshape(1, size, *round_.image).expand(2, -1, -1, -1, -1)
    written_out = torch.linalg.matrix_norm(round_.apply(kernel, units).flatten(2), ord=2)
    torch.testing.assert_close(found, written_out, rtol=1e-10, atol=0)


def circular(operator: ConvOperator) -> ConvOperator:
    """The same, taken for a large one."""
    made = replace(operator)
    made.__dict__["small"] = False
    return made


def test_the_larger_the_image_the_closer_the_torus() -> None:
    operator = ConvOperator(4, 3, (4, 4), (8, 8), 2, 1)
    kernel = kernels(operator)
    excess = []
    for side in (8, 16, 24):
        larger = replace(operator, side=(side, side))
        seen = larger.power_norm(kernel, tolerance=1e-5)
        excess.append(float((larger.circular_norm(kernel.double()) / seen).max()) - 1)
    assert excess[0] > excess[1] > excess[2] > 0
    assert excess[2] < 0.03


@every
@pytest.mark.parametrize("small", [True, False])
def test_the_adjoint_is_the_transpose(operator: ConvOperator, small: bool) -> None:
    chosen = operator if small else circular(operator)
    kernel = kernels(operator).double()
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(2, 3, *chosen.image, generator=generator, dtype=torch.float64)
    y = torch.randn(2, 3, *chosen.out_image, generator=generator, dtype=torch.float64)
    one, other = chosen.apply(kernel, x) * y, x * chosen.adjoint(kernel, y)
    torch.testing.assert_close(one.sum((2, 3, 4)), other.sum((2, 3, 4)), rtol=1e-10, atol=1e-9)


def test_rows_do_not_mix_and_a_diverged_one_stops_nobody() -> None:
    operator = ConvOperator(4, 3, (4, 4), (8, 8), 2, 1)
    kernel = kernels(operator)
    alone = operator.norm(kernel[1:])
    kernel[0, 0, 0, 0, 0] = torch.nan
    for chosen in (operator, circular(operator)):
        assert chosen.norm(kernel).isnan().tolist() == [True] + [False] * (len(kernel) - 1)
    torch.testing.assert_close(operator.norm(kernel)[1:], alone, rtol=0, atol=0)


def test_large_operators_are_not_unrolled(monkeypatch: pytest.MonkeyPatch) -> None:
    operator = ConvOperator(4, 3, (4, 4), (8, 8), 2, 1)
    assert operator.small
    assert operator.out_image == (4, 4, 4)
    monkeypatch.setattr(convolution, "UNROLLED", 10)
    large = replace(operator)
    assert not large.small
    assert (large.image, large.out_image) == ((3, 10, 10), (4, 5, 5))
    kernel = kernels(operator)
    torch.testing.assert_close(large.norm(kernel).double(), large.circular_norm(kernel.double()))
