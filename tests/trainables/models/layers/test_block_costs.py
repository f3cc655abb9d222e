"""Multiplications of blocks and of attention are those that torch counts."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from trainables.models.layers.attention import SelfAttention
from trainables.models.layers.block_costs import (
    attention_cost,
    convolution_cost,
    critic_cost,
    generator_cost,
)
from trainables.models.layers.resnet import critic_blocks, generator_block


def counted(module: nn.Module, x: Tensor) -> float:
    with FlopCounterMode(display=False) as counter:
        module.eval()(x)
    return counter.get_total_flops() / 2


def test_convolutions() -> None:
    x = torch.zeros(1, 3, 8, 8)
    assert convolution_cost(3, 3, 5, 8) == counted(nn.Conv2d(3, 5, 3, padding=1), x)
    assert convolution_cost(1, 3, 5, 8) == counted(nn.Conv2d(3, 5, 1), x)


def test_blocks_of_a_generator() -> None:
    assert generator_cost(3, 5, 16) == counted(generator_block(3, 5), torch.zeros(1, 3, 8, 8))


@pytest.mark.parametrize("downs", [(True, False), (False, False), (True, True)])
@pytest.mark.parametrize("widths", [(4, 4), (4, 6)])
def test_blocks_of_a_critic(widths: tuple[int, int], downs: tuple[bool, bool]) -> None:
    critic = nn.Sequential(*critic_blocks(3, widths, downs))
    assert critic_cost(3, widths, downs, 8) == counted(critic, torch.zeros(1, 3, 8, 8))


@pytest.mark.parametrize("channels", [4, 16])
def test_attention(channels: int) -> None:
    assert attention_cost(channels, 8) == counted(SelfAttention(channels), torch.zeros(1, channels, 8, 8))
