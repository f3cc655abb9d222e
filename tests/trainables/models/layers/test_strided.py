"""Strided convolutions as matrix products are the convolutions of torch, in gradients and in stacks too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call, vmap

from trainables.models.layers.stacked import stack_of
from trainables.models.layers.strided import StridedConv, StridedTransposed

KINDS: list[tuple[Callable[..., nn.Module], Callable[..., Tensor]]] = [
    (StridedConv, F.conv2d),
    (StridedTransposed, F.conv_transpose2d),
]
both = pytest.mark.parametrize(("kind", "reference"), KINDS, ids=["convolution", "transposed"])


@both
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(2, 3, 8, 12), (1, 3, 2, 2), (4, 3, 14, 14), (2, 3, 7, 9)])
@pytest.mark.parametrize("trials", [1, 2])
def test_outputs_and_gradients_are_those_of_torch(
    kind: Any, reference: Any, bias: bool, shape: tuple[int, ...], trials: int
) -> None:
    layer = kind(3, 5, bias=bias)
    x = torch.randn(shape, requires_grad=True)
    with stack_of(trials):
        found = layer(x)
    expected = reference(x, layer.weight, layer.bias, stride=2, padding=1)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    pushed, inputs = torch.randn(found.shape), [x, *layer.parameters()]
    pairs = zip(*(torch.autograd.grad((y * pushed).sum(), inputs) for y in (found, expected)), strict=True)
    for one, other in pairs:
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-4)


@both
def test_mapped_over_trials_every_trial_is_its_own(kind: Any, reference: Any) -> None:
    layer = kind(3, 5)
    weights = {name: torch.randn(4, *p.shape, requires_grad=True) for name, p in layer.named_parameters()}
    x = torch.randn(4, 2, 3, 6, 6)
    with stack_of(4):
        found = vmap(lambda own, points: functional_call(layer, own, (points,)))(weights, x)
    expected = torch.stack(
        [reference(x[t], weights["weight"][t], weights["bias"][t], stride=2, padding=1) for t in range(4)]
    )
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    for name, own in weights.items():
        one, other = (
            torch.autograd.grad(y.square().mean(), own, retain_graph=True)[0] for y in (found, expected)
        )
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5, msg=name)


def test_they_say_what_they_are() -> None:
    # Constraints read kernel, stride and padding of ordinary convolutions.
    for layer in (StridedConv(3, 5), StridedTransposed(5, 3)):
        assert (layer.kernel_size, layer.stride, layer.padding) == ((4, 4), (2, 2), (1, 1))
        assert layer.weight.shape == (5, 3, 4, 4)


def test_a_transposed_convolution_is_the_adjoint() -> None:
    down, up = StridedConv(3, 5, bias=False), StridedTransposed(5, 3, bias=False)
    with torch.no_grad():
        up.weight.copy_(down.weight)
    x, y = torch.randn(2, 3, 8, 8), torch.randn(2, 5, 4, 4)
    with stack_of(2):
        torch.testing.assert_close((down(x) * y).sum(), (x * up(y)).sum(), rtol=1e-4, atol=1e-4)


def test_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match="doubles the side; leave output_size out"):
        StridedTransposed(3, 5)(torch.zeros(1, 3, 4, 4), [9, 9])
