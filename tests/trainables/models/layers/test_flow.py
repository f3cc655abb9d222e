"""Parts in a row, and the map to pixels at the end of a flow of images."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from trainables.models.image_flow import BEND, FLATTEST, MARGIN, STEEPEST, WIDTH
from trainables.models.layers.additive import Scaling
from trainables.models.layers.flow import Bent, Flow, Row, summed


def test_pixels_are_dinhs_logits() -> None:
    # logit(α + (1 - 2α) u), u in [0, 1]: Dinh et al. 2017, 4.1.
    x = torch.linspace(-1, 1, 9, dtype=torch.float64).reshape(1, 1, 3, 3)
    y, _ = Bent()(x, inverse=True)
    torch.testing.assert_close(y, torch.logit(0.05 + 0.9 * (x + 1) / 2))


def test_the_slope_of_the_map_to_pixels_is_its_log_determinant() -> None:
    bend = BEND / (1 - 2 * MARGIN)
    x = torch.cat((torch.linspace(-3, 3, 121), torch.tensor([-bend, bend]))).double()
    x = x.reshape(-1, 1, 1, 1).requires_grad_()
    y, log_det = Bent()(x, inverse=True)
    (slope,) = torch.autograd.grad(y.sum(), x)
    torch.testing.assert_close(log_det, slope.flatten().log())
    back, there = Bent()(y, inverse=False)
    torch.testing.assert_close(back, x)
    torch.testing.assert_close(there, -log_det)
    steepest, flattest = float((-log_det).detach().exp().max()), float((-log_det).detach().exp().min())
    assert steepest == pytest.approx(STEEPEST)
    assert flattest == pytest.approx(FLATTEST)


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize("beyond", [0.0, WIDTH])
def test_the_slope_of_the_map_to_pixels_does_not_jump(side: int, beyond: float) -> None:
    joint = side * (2 * math.atanh(BEND) + beyond)
    y = torch.linspace(joint - 0.05, joint + 0.05, 1001, dtype=torch.float64).reshape(-1, 1, 1, 1)
    x, log_slope = Bent()(y, inverse=False)
    slope = x.flatten().diff() / y.flatten().diff()
    torch.testing.assert_close(slope, log_slope.exp()[1:], rtol=2e-4, atol=0)
    assert float(log_slope.diff().abs().max()) < 5e-4


@pytest.mark.parametrize("inverse", [False, True])
def test_the_map_to_pixels_has_second_derivatives(inverse: bool) -> None:
    # On all three of its pieces, on both sides.
    x = torch.tensor([-6.0, -4.0, -1.3, -0.3, 0.0, 0.9, 1.2, 4.0, 6.0], dtype=torch.float64)
    x = x.reshape(-1, 1, 1, 1).requires_grad_()

    def slope(at: Tensor) -> Tensor:
        return torch.autograd.grad(Bent()(at, inverse)[0].sum(), at, create_graph=True)[0]

    (found,) = torch.autograd.grad(slope(x).sum(), x)
    step = 1e-6
    about = (slope(x + step) - slope(x - step)).detach() / (2 * step)
    torch.testing.assert_close(found, about, rtol=1e-6, atol=1e-6)


def test_logits_are_found_again_in_float32_however_large() -> None:
    y = torch.linspace(-100, 100, 20_001).reshape(-1, 1, 1, 1)
    x, there = Bent()(y, inverse=False)
    again, back = Bent()(x, inverse=True)
    assert float((again - y).abs().max()) < 2e-5
    assert float((there + back).abs().max()) < 1e-5


@pytest.mark.parametrize("value", [1.1, 1.2, 50.0])
def test_what_lies_beyond_reach_is_finite(value: float) -> None:
    x = torch.full((2, 1, 2, 2), value, requires_grad=True)
    log_prob = Flow([Scaling((1, 2, 2))], images=True).log_prob(x)
    assert torch.isfinite(log_prob).all()
    assert torch.isfinite(torch.autograd.grad(log_prob.sum(), x)[0]).all()
    far = Flow([], images=True)(torch.full((1, 1, 2, 2), 1e4))
    assert torch.isfinite(far).all()


def test_log_determinants_of_a_row_add_up() -> None:
    first, second = Scaling((3,)), Scaling((3,))
    with torch.no_grad():
        first.log_scale.fill_(0.5)
        second.log_scale.fill_(0.25)
    x = torch.ones(2, 3)
    y, log_det = Row([first, second])(x, inverse=False)
    torch.testing.assert_close(y, x * math.exp(0.75))
    torch.testing.assert_close(log_det, torch.full((2,), 2.25))
    torch.testing.assert_close(Row([first, second]).move(y, inverse=True), x)


def test_the_identity_has_the_density_of_its_latents() -> None:
    x = torch.randn(4, 2, generator=torch.Generator().manual_seed(0))
    expected = torch.distributions.Normal(0.0, 1.0).log_prob(x).sum(1)
    torch.testing.assert_close(Flow([Scaling((2,))], images=False).log_prob(x), expected)
    assert summed(torch.ones(2, 3, 4)).tolist() == [12.0, 12.0]
