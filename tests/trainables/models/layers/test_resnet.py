"""Residual networks: blocks that say what they are, sides, ways round that commute, Miyato's parameters."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from trainables.models.layers.resnet import (
    Residual,
    ResNetCritic,
    ResNetGenerator,
    SumPool,
    critic_block,
    critic_blocks,
)


def test_a_block_is_the_sum_of_its_ways() -> None:
    block = Residual(nn.Sequential(nn.Conv2d(2, 2, 1)), nn.Identity())
    x = torch.randn(3, 2, 4, 4)
    torch.testing.assert_close(block(x), block.branch(x) + x)


def test_pooling_sums_pixels() -> None:
    assert SumPool()(torch.ones(3, 2, 4, 5)).tolist() == [[20.0, 20.0]] * 3


@pytest.mark.parametrize(
    ("fan_in", "down", "side"), [(3, True, 4), (3, False, 8), (5, True, 4), (5, False, 8)]
)
def test_critic_blocks(fan_in: int, down: bool, side: int) -> None:
    block = critic_block(fan_in, 5, down)
    assert block(torch.randn(2, fan_in, 8, 8)).shape == (2, 5, side, side)
    assert isinstance(block.skip, nn.Identity) == (fan_in == 5 and not down)


def test_only_the_first_block_sees_the_image_as_it_is() -> None:
    first, second = critic_blocks(3, [4, 4], [True, False])
    assert isinstance(first.branch[0], nn.Conv2d)
    assert isinstance(second.branch[0], nn.ReLU)


def test_averaging_before_the_skip_is_averaging_after_it() -> None:
    block = critic_block(3, 5, down=True)
    assert isinstance(block.skip, nn.Sequential)
    x = torch.randn(2, 3, 8, 8)
    torch.testing.assert_close(block.skip(x), block.skip[0](block.skip[1](x)))


def test_a_critic_can_be_walked() -> None:
    # A bound of its Lipschitz constant needs to know every module on the way.
    known = (nn.Conv2d, nn.Linear, nn.ReLU, nn.AvgPool2d, nn.Identity, nn.Sequential, Residual, SumPool)
    critic = ResNetCritic(4, (3, 32, 32))
    assert all(isinstance(m, known) for m in critic.modules())
    assert type(critic).forward is nn.Sequential.forward
    assert [type(layer) for layer in critic] == [Residual] * 4 + [nn.ReLU, SumPool, nn.Linear]


@pytest.mark.parametrize("side", [8, 28, 32])
def test_images_of_every_side(side: int) -> None:
    x = ResNetGenerator(6, 4, (1, side, side))(torch.randn(3, 6))
    assert x.shape == (3, 1, side, side)
    assert ResNetCritic(4, (1, side, side))(x).shape == (3, 1)


def test_the_paper_has_as_many_parameters() -> None:
    # Miyato et al. 2018, table 4: 128 → 4 × 4 × 256, three blocks of 256, 3 × 3 to RGB; four blocks of 128.
    # Weights by hand: 524,288 + 3 · (2 · 9 + 1) · 256² + 9 · 256 · 3, and 9 · 3 · 128 + 3 · 128
    # + (7 · 9 + 1) · 128² + 128.
    with torch.device("meta"):
        generator, critic = ResNetGenerator(128, 256, (3, 32, 32)), ResNetCritic(128, (3, 32, 32))
    counted = [sum(p.numel() for p in m.parameters() if p.ndim > 1) for m in (generator, critic)]
    assert counted == [524_288 + 57 * 256**2 + 6_912, 3_456 + 384 + 64 * 128**2 + 128]
