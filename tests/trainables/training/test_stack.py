"""A row of a stack is the plain module: values and gradients."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from trainables.models.layers.couplings import RealNVP
from trainables.models.layers.perceptron import MLPCritic, MLPGenerator
from trainables.training.stack import Stack

CPU = torch.device("cpu")
BUILDS: dict[str, Callable[[], nn.Module]] = {
    "generator": lambda: MLPGenerator(3, (8, 8), 2),
    "critic": lambda: MLPCritic(2, (8, 8)),
    "realnvp": lambda: RealNVP(2, 3, 8),
}


def plain(stack: Stack, build: Callable[[], nn.Module], row: torch.Tensor) -> nn.Module:
    module = build()
    nn.utils.vector_to_parameters(row, module.parameters())
    return module


@pytest.mark.parametrize(
    ("name", "options"),
    [("generator", {}), ("critic", {}), ("realnvp", {}), ("realnvp", {"log_prob": True})],
)
def test_forward_and_gradients_equal_the_plain_module(name: str, options: dict[str, bool]) -> None:
    build = BUILDS[name]
    stack = Stack(build)
    # Not the initial values: a coupling starts at the identity.
    flat = (torch.randn(3, stack.size, generator=torch.Generator().manual_seed(0)) * 0.3).requires_grad_()
    x = torch.randn(3, 5, 3 if name == "generator" else 2, generator=torch.Generator().manual_seed(1))
    out = stack(stack.unflatten(flat), x, **options)
    (gradient,) = torch.autograd.grad(out.square().sum(), flat)
    for t in range(3):
        module = plain(stack, build, flat[t].detach())
        expected = module(x[t], **options)
        torch.testing.assert_close(out[t], expected)
        parts = torch.autograd.grad(expected.square().sum(), list(module.parameters()))
        torch.testing.assert_close(gradient[t], torch.cat([part.flatten() for part in parts]))


@pytest.mark.parametrize("name", sorted(BUILDS))
def test_initial_rows_depend_on_their_seed_alone(name: str) -> None:
    stack = Stack(BUILDS[name])
    together = stack.initial([4, 7, 9], CPU)
    torch.testing.assert_close(together[1:2], stack.initial([7], CPU), rtol=0, atol=0)
    assert not torch.equal(together[0], together[1])
    torch.manual_seed(7)
    expected = nn.utils.parameters_to_vector(BUILDS[name]().parameters())
    torch.testing.assert_close(together[1], expected.detach(), rtol=0, atol=0)


def test_initialising_leaves_the_callers_random_state_alone() -> None:
    stack = Stack(BUILDS["critic"])
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    Stack(BUILDS["critic"])
    stack.initial([1, 2], CPU)
    torch.testing.assert_close(torch.rand(3), expected, rtol=0, atol=0)


def test_unflatten_covers_every_entry_once() -> None:
    stack = Stack(BUILDS["realnvp"])
    flat = torch.arange(2 * stack.size, dtype=torch.float32).reshape(2, -1)
    parts = stack.unflatten(flat)
    assert {name: tuple(p.shape[1:]) for name, p in parts.items()} == stack.shapes
    torch.testing.assert_close(torch.cat([p.flatten(1) for p in parts.values()], dim=1), flat)


def test_a_row_of_nan_does_not_touch_the_others() -> None:
    stack = Stack(BUILDS["critic"])
    flat = stack.initial([0, 1], CPU)
    x = torch.randn(2, 4, 2, generator=torch.Generator().manual_seed(2))
    clean = stack(stack.unflatten(flat), x)
    flat[0] = torch.nan
    spoilt = stack(stack.unflatten(flat), x)
    assert torch.isnan(spoilt[0]).all()
    torch.testing.assert_close(spoilt[1], clean[1], rtol=0, atol=0)
