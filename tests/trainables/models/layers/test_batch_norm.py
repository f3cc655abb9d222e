"""Batch normalisation of our own is torch's, mapped and in fewer bits too."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.func import functional_call, vmap

from trainables.models.layers.batch_norm import BatchNorm


def filled(layer: nn.BatchNorm2d) -> nn.BatchNorm2d:
    with torch.no_grad(), torch.random.fork_rng():
        torch.manual_seed(0)
        for values in (*layer.parameters(), layer.running_mean, layer.running_var):
            assert values is not None
            values.copy_(torch.rand(values.shape) + 0.5)
    return layer


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("training", [True, False])
def test_it_is_batch_normalisation(affine: bool, training: bool) -> None:
    ours = filled(BatchNorm(3, affine=affine)).train(training)
    theirs = filled(nn.BatchNorm2d(3, momentum=None, affine=affine)).train(training)
    x = (2 * torch.randn(5, 3, 4, 4, generator=torch.Generator().manual_seed(1)) + 1).requires_grad_()
    weights = torch.randn(5, 3, 4, 4, generator=torch.Generator().manual_seed(2))
    found, due = ours(x), theirs(x)
    torch.testing.assert_close(found, due)
    for own, other in zip(
        torch.autograd.grad((found * weights).sum(), x),
        torch.autograd.grad((due * weights).sum(), x),
        strict=True,
    ):
        torch.testing.assert_close(own, other, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(ours.running_mean, theirs.running_mean)
    torch.testing.assert_close(ours.running_var, theirs.running_var)


def test_statistics_are_a_mean_at_first_and_move_slowly_after() -> None:
    ours, mean = BatchNorm(3).train(), nn.BatchNorm2d(3, momentum=None).train()
    draws = torch.Generator().manual_seed(3)
    for _ in range(100):
        x = 2 * torch.randn(4, 3, 2, 2, generator=draws) + 1
        ours(x), mean(x)
    torch.testing.assert_close(ours.running_mean, mean.running_mean)
    torch.testing.assert_close(ours.running_var, mean.running_var)
    slow = nn.BatchNorm2d(3, momentum=0.01).train()
    slow.load_state_dict(ours.state_dict())
    for _ in range(20):
        x = torch.randn(4, 3, 2, 2, generator=draws) - 1
        ours(x), slow(x)
    torch.testing.assert_close(ours.running_mean, slow.running_mean, atol=2e-3, rtol=0)
    torch.testing.assert_close(ours.running_var, slow.running_var, atol=2e-3, rtol=0)


def test_trials_side_by_side_in_bfloat16_keep_their_own_statistics() -> None:
    layer = BatchNorm(2).train()
    state = {name: torch.stack([v.detach()] * 3).clone() for name, v in layer.state_dict().items()}
    x = torch.randn(3, 6, 2, 4, 4) * torch.tensor([1.0, 2.0, 3.0])[:, None, None, None, None]
    out = vmap(lambda values, own: functional_call(layer, values, (own,)))(state, x.bfloat16())
    assert out.dtype == torch.bfloat16
    torch.testing.assert_close(out.float().std((1, 3, 4)), torch.ones(3, 2), atol=0.05, rtol=0)
    spread = state["running_var"].mean(1)
    assert spread[0] < spread[1] < spread[2]
