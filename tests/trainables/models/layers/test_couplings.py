"""A flow inverts, its log-determinant is that of its Jacobian, its density integrates to 1."""

from __future__ import annotations

import pytest
import torch
from torch.autograd.functional import jacobian

from trainables.models.layers.couplings import RealNVP


def flow(dim: int, couplings: int = 4, scale: float = 0.5, seed: int = 0) -> RealNVP:
    """A flow far from the identity it starts at."""
    generator = torch.Generator().manual_seed(seed)
    model = RealNVP(dim, couplings, width=8).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(scale * torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    return model


@pytest.mark.parametrize("dim", [2, 3, 5])
@pytest.mark.parametrize("couplings", [2, 5])
def test_inverse(dim: int, couplings: int) -> None:
    model = flow(dim, couplings)
    z = torch.randn(20, dim, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    x, forward = model.transform(z, inverse=False)
    back, backward = model.transform(x, inverse=True)
    torch.testing.assert_close(back, z, rtol=1e-8, atol=1e-8)
    torch.testing.assert_close(forward, -backward, rtol=1e-8, atol=1e-8)
    assert float((x - z).detach().abs().mean()) > 0.1  # it does something


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("inverse", [False, True])
def test_log_determinant_is_that_of_the_jacobian(dim: int, inverse: bool) -> None:
    model = flow(dim)
    for point in torch.randn(5, dim, generator=torch.Generator().manual_seed(2), dtype=torch.float64):
        matrix = jacobian(lambda x: model.transform(x, inverse)[0], point)
        assert isinstance(matrix, torch.Tensor)
        _, log_det = model.transform(point, inverse)
        torch.testing.assert_close(log_det, torch.linalg.slogdet(matrix).logabsdet, rtol=1e-9, atol=1e-9)


def test_points_may_lie_in_any_shape() -> None:
    model = flow(2)
    x = torch.randn(5, 5, 2, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    expected = model.log_prob(x.reshape(25, 2))
    torch.testing.assert_close(model.log_prob(x), expected.reshape(5, 5))
    torch.testing.assert_close(model.log_prob(x[0, 0]), expected[0])


def test_density_integrates_to_one() -> None:
    model = flow(2, couplings=3, scale=0.3)
    line = torch.linspace(-12, 12, 801, dtype=torch.float64)
    with torch.no_grad():
        density = model.log_prob(torch.cartesian_prod(line, line)).exp()
    assert float(density.sum()) * float(line[1] - line[0]) ** 2 == pytest.approx(1.0, abs=1e-4)


def test_density_is_that_of_the_samples() -> None:
    # E_Q[1{x in box}] by sampling against the integral of the density over the box.
    model = flow(2, couplings=3, scale=0.3)
    z = torch.randn(40_000, 2, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    line = torch.linspace(0, 1, 200, dtype=torch.float64)
    with torch.no_grad():
        share = float(((model(z) > 0) & (model(z) < 1)).all(dim=1).double().mean())
        mass = float(model.log_prob(torch.cartesian_prod(line, line)).exp().mean())
    assert share == pytest.approx(mass, abs=5 * (mass / len(z)) ** 0.5 + 2e-3)


def test_starts_at_the_identity_and_moves_every_coordinate() -> None:
    x = torch.randn(4, 3)
    torch.testing.assert_close(RealNVP(3, 2, 8)(x), x)
    model = flow(3, couplings=2)
    moved = (model(x.double()) - x.double()).abs()
    assert bool((moved.amax(0) > 1e-3).all())


def test_neither_direction_overflows() -> None:
    model = flow(2, couplings=4, scale=50.0).float()
    x = torch.tensor([[1.0, -1.0], [10.0, 3.0]])
    for inverse in (False, True):
        y, log_det = model.transform(x, inverse)
        assert torch.isfinite(y).all()
        assert bool((log_det.abs() <= 8.0 + 1e-5).all())  # 4 couplings of |s| ≤ 2, one coordinate each


def test_one_coordinate_cannot_be_split() -> None:
    with pytest.raises(ValueError, match="a coupling splits coordinates and needs at least 2, got 1"):
        RealNVP(1, 2, 8)
