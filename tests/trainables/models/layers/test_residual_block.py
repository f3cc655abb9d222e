"""Blocks invert, and samples have the gradient of the implicit function."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from trainables.models.layers.exactly import exactly
from trainables.models.layers.residual_block import ResidualBlock
from trainables.models.layers.stacked import stack_of
from trainables.models.residual import fixed_point_steps


def block(
    shape: tuple[int, ...], exact: int, tolerance: float = 1e-7, constant: float = 0.7
) -> ResidualBlock:
    made = ResidualBlock(shape, 6, constant, tolerance, exact).double()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.copy_(0.7 * torch.randn(parameter.shape, generator=generator))
    return made


def points(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


@pytest.mark.parametrize("exact", [0, 8])
@pytest.mark.parametrize("tolerance", [1e-1, 1e-4])
def test_the_inverse_keeps_its_tolerance(exact: int, tolerance: float) -> None:
    part, x = block((2,), exact, tolerance, constant=0.9), points(50, 2)
    with torch.no_grad():
        z = part.move(x, inverse=True)
        error = (part.move(z, inverse=False) - x).norm(dim=1)
        assert bool((error <= tolerance * (part.net.function()(z)).norm(dim=1) + 1e-12).all())


@pytest.mark.parametrize("exact", [0, 18])
@pytest.mark.parametrize("training", [True, False])
def test_exactly_is_to_the_last_digits(exact: int, training: bool) -> None:
    part = block((2, 3, 3), exact, tolerance=0.1, constant=0.9).train(training)
    whole, x = block((2, 3, 3), exact=18, tolerance=0.1, constant=0.9), points(40, 2, 3, 3)
    with torch.no_grad(), exactly():
        z, there = part(x, inverse=True)
        again, back = part(z, inverse=False)
        torch.testing.assert_close(again, x, rtol=0, atol=1e-12)
        torch.testing.assert_close(back, -there, rtol=0, atol=1e-11)
        torch.testing.assert_close(there, whole(x, inverse=True)[1], rtol=0, atol=1e-11)


def test_iterations_end_where_they_have_arrived_and_nothing_else_changes() -> None:
    part, z = block((3,), exact=0, tolerance=1e-4, constant=0.9), points(40, 3)
    z[:20] *= 1e-3
    asked: list[int] = []
    g = part.net.function()

    def counted(x: Tensor) -> Tensor:
        asked.append(len(x))
        return g(x)

    with torch.no_grad():
        looked_at = part._limit(counted, z)
        steps = fixed_point_steps(0.9, 1e-4)
        assert len(asked) < steps // 2
        asked.clear()
        with stack_of(2):
            to_the_end = part._limit(counted, z)
        assert len(asked) == steps
        each = torch.cat([part._limit(g, row[None]) for row in z])
    assert torch.equal(looked_at, to_the_end)
    torch.testing.assert_close(looked_at, each, rtol=0, atol=1e-14)  # whoever else is in the batch


@pytest.mark.parametrize(("exact", "allowed"), [(8, 1e-6), (0, 2e-2)])
def test_samples_have_the_gradient_of_the_inverse(exact: int, allowed: float) -> None:
    # From x + g(x; θ) = z: ∂x/∂z = (I + J)⁻¹ and ∂x/∂θ = -(I + J)⁻¹ ∂g/∂θ.
    part = block((2,), exact)
    z = points(1, 2).requires_grad_()
    x = part.move(z, inverse=False)
    direction = torch.tensor([[1.0, -2.0]], dtype=torch.float64)
    found = torch.autograd.grad((x * direction).sum(), [z, *part.parameters()])
    still = x.detach().requires_grad_()
    g = part.net.function()
    jacobian = torch.autograd.functional.jacobian(lambda v: part.move(v, inverse=True), still).reshape(2, 2)
    pulled = torch.linalg.solve(jacobian.T, direction[0])[None]
    of_parameters = torch.autograd.grad((-g(still) * pulled).sum(), list(part.parameters()))
    for one, due in zip(found, (pulled, *of_parameters), strict=True):
        torch.testing.assert_close(one, due, rtol=0, atol=allowed * float(pulled.norm()) + 1e-9)


def test_evaluation_is_nearer_to_the_determinant_than_training() -> None:
    part, whole, x = block((2, 3, 3), exact=0), block((2, 3, 3), exact=18), points(60, 2, 3, 3)
    with torch.no_grad():
        for one, other in zip(part.parameters(), whole.parameters(), strict=True):
            one.abs_()  # so that the Jacobian is not far from the constant
            other.abs_()
    exact = whole(x, inverse=True)[1]
    errors = []
    for training in (True, False):
        torch.manual_seed(0)
        found = part.train(training)(x, inverse=True)[1]
        errors.append(float((found - exact).detach().square().mean()) ** 0.5)
    assert errors[1] < 0.7 * errors[0]
    assert errors[1] < 0.5 * float(exact.detach().abs().mean())
