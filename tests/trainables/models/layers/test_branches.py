"""Two ways are added."""

from __future__ import annotations

import torch
from torch import nn

from trainables.models.layers.branches import Branches


def test_both_ways_are_added() -> None:
    block = Branches(nn.Linear(2, 2), nn.Tanh())
    x = torch.randn(5, 2, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(block(x), block.branch(x) + torch.tanh(x))
    assert [name for name, _ in block.named_children()] == ["branch", "skip"]
