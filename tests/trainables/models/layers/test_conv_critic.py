"""The convolutional critic halves images."""

from __future__ import annotations

import pytest
import torch

from trainables.models.layers.conv_critic import ConvCritic


@pytest.mark.parametrize("shape", [(1, 8, 8), (3, 7, 12)])
def test_images_become_logits(shape: tuple[int, ...]) -> None:
    critic = ConvCritic(shape, (4, 5))
    logits = critic(torch.randn(6, *shape, generator=torch.Generator().manual_seed(0)))
    assert logits.shape == (6, 1)
    assert len(logits.unique()) == 6
    assert critic[-1].in_features == 5 * (shape[1] // 4) * (shape[2] // 4)
