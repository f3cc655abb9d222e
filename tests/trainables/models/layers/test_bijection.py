"""One way undoes the other in double, in whatever precision a flow is; its density is that of its latents."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from trainables.models.layers.bijection import Bijection
from trainables.models.layers.exactly import wanted_exactly


class Affine(Bijection):
    """x = shift + scale z; a buffer that is cast, and one that is not."""

    def __init__(self, shift: float, scale: float) -> None:
        super().__init__()
        self.shift, self.scale = nn.Parameter(torch.tensor(shift)), nn.Parameter(torch.tensor(scale))
        self.register_buffer("unit", torch.ones(()))
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def walk(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        y = (x - self.shift) / self.scale if inverse else self.shift + self.scale * x
        assert self.get_buffer("unit").dtype == x.dtype
        assert self.get_buffer("calls").dtype == torch.int64
        self.exact = wanted_exactly()
        log_det = x[0].numel() * self.scale.abs().log().expand(len(x))
        return y, -log_det if inverse else log_det


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16, torch.float64])
def test_one_way_undoes_the_other_where_float32_does_not(kind: torch.dtype) -> None:
    flow = Affine(1.0, 2.0**-14).to(kind)
    z = torch.randn(50, 3, generator=torch.Generator().manual_seed(0)).to(kind)
    x, there = flow.transform(z, inverse=False)
    again, back = flow.transform(x, inverse=True)
    assert x.dtype == again.dtype == there.dtype == torch.float64
    torch.testing.assert_close(again, z.double(), rtol=0, atol=1e-9)
    torch.testing.assert_close(there, -back, rtol=0, atol=1e-9)
    if kind == torch.float32:
        lost = flow.walk(flow.walk(z, inverse=False)[0], inverse=True)[0] - z
        assert float(lost.detach().abs().max()) > 1e-4
    assert {value.dtype for value in flow.parameters()} == {kind}


def test_a_transform_wants_it_exactly_and_a_walk_does_not() -> None:
    flow, x = Affine(1.0, 2.0), torch.ones(2, 3)
    flow.transform(x, inverse=True)
    assert flow.exact
    flow.log_prob(x)
    assert not flow.exact


def test_gradients_reach_parameters_and_samples() -> None:
    flow, z = Affine(1.0, 3.0), torch.ones(2, 2, requires_grad=True)
    flow.transform(z, inverse=False)[0].sum().backward()
    assert flow.scale.grad is not None
    assert (float(flow.scale.grad), flow.scale.grad.dtype) == (4.0, torch.float32)
    assert z.grad is not None
    assert z.grad.tolist() == [[3.0, 3.0], [3.0, 3.0]]


def test_the_density_is_that_of_latents_over_the_volume() -> None:
    x = torch.randn(4, 1, 2, 2, generator=torch.Generator().manual_seed(0))
    expected = torch.distributions.Normal(0.5, 2.0).log_prob(x).sum((1, 2, 3))
    found = Affine(0.5, 2.0).log_prob(x)
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, expected)
