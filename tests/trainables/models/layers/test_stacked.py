"""Convolutions as products are those of torch, whole and mapped; a trial alone is torch's."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch.func import functional_call, vmap

from trainables.models.layers.stacked import SameConv, in_stack, same_convolution, stack_of


def test_a_stack_is_one_of_several_trials_for_as_long_as_it_is_open() -> None:
    assert not in_stack()
    with stack_of(2):
        assert in_stack()
        with stack_of(1):
            assert not in_stack()
        assert in_stack()
    with pytest.raises(RuntimeError), stack_of(3):
        raise RuntimeError
    assert not in_stack()


@pytest.mark.parametrize("kernel", [1, 3, 5])
@pytest.mark.parametrize("bias", [True, False])
def test_products_are_convolutions_with_their_gradients(kernel: int, bias: bool) -> None:
    layer = SameConv(3, 4, kernel, bias=bias)
    x = torch.randn(2, 3, 5, 6, requires_grad=True)
    expected = F.conv2d(x, layer.weight, layer.bias, padding=kernel // 2)
    with stack_of(2):
        found = layer(x)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(layer(x), expected)
    pushed, inputs = torch.randn(found.shape), [x, *layer.parameters()]
    pairs = zip(*(torch.autograd.grad((y * pushed).sum(), inputs) for y in (found, expected)), strict=True)
    for one, other in pairs:
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-4)


def test_mapped_over_trials_every_trial_is_its_own() -> None:
    layer = SameConv(3, 4, 3)
    weights = {name: torch.randn(4, *p.shape) for name, p in layer.named_parameters()}
    x = torch.randn(4, 2, 3, 6, 6)
    with stack_of(4):
        found = vmap(lambda own, points: functional_call(layer, own, (points,)))(weights, x)
    for t in range(4):
        alone = same_convolution(x[t], weights["weight"][t], weights["bias"][t])
        torch.testing.assert_close(found[t], alone, rtol=1e-5, atol=1e-5)


def test_an_even_kernel_is_refused() -> None:
    with pytest.raises(ValueError, match="odd kernel, got 4"):
        SameConv(3, 4, 4)
