"""Scales and critics of flows of images, without torch."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from trainables.models.image_flow import (
    BEND,
    MARGIN,
    CriticKind,
    build_critic,
    check_critic,
    check_image,
    check_levels,
    conv_network_weights,
    critic_multiplications,
    critic_weights,
    squeezed_shapes,
)


def test_shapes_of_levels() -> None:
    # Without splits those of Vérine 2024, C.1.3, but for its last, printed as 64 × 8 × 8.
    assert squeezed_shapes((1, 32, 32), 3, split=False) == [(4, 16, 16), (16, 8, 8), (64, 4, 4)]
    assert squeezed_shapes((1, 32, 32), 3, split=True) == [(4, 16, 16), (8, 8, 8), (16, 4, 4)]
    assert 0 < MARGIN < 0.5


def test_pixels_of_256_levels_and_their_noise_lie_within_the_bend() -> None:
    assert 1 + 1 / 255 < BEND / (1 - 2 * MARGIN) < 1 + 2 / 255


@pytest.mark.parametrize("kind", ["convolution", "perceptron"])
@pytest.mark.parametrize("shape", [(2,), (1, 9, 8)])
def test_critics_score_and_are_counted(shape: tuple[int, ...], kind: CriticKind) -> None:
    check_critic(shape, (5, 6), kind)
    critic = build_critic(shape, (5, 6), kind)
    assert critic(torch.zeros(3, *shape)).shape == (3, 1)
    assert any(isinstance(layer, nn.Conv2d) for layer in critic) == (
        len(shape) == 3 and kind == "convolution"
    )
    weights = sum(p.numel() for p in critic.parameters() if p.ndim > 1)
    assert critic_weights(shape, (5, 6), kind) == weights
    assert critic_multiplications(shape, (5, 6), kind) >= weights


def test_a_convolution_counts_at_every_pixel() -> None:
    assert critic_multiplications((1, 4, 4), (3,), "convolution") == 16 * 3 * 4 + 3 * 4
    assert conv_network_weights(2, 5, 4) == 9 * 2 * 5 + 25 + 9 * 5 * 4


def test_refusals() -> None:
    with pytest.raises(
        ValueError, match=r"^model glow needs images .* got data of shape \(2,\); use model realnvp"
    ):
        check_image("glow", (2,), 1)
    with pytest.raises(ValueError, match=r"multiples of 4, got 6 × 8; use fewer levels"):
        check_image("glow", (1, 6, 8), 2)
    with pytest.raises(ValueError, match=r"multiples of 2, got 9 × 7; use model nice, or a dataset of"):
        check_image("glow", (1, 9, 7), 1)
    with pytest.raises(ValueError, match=r"^model\.critic has 3 widths, each a layer that halves an image"):
        check_critic((1, 7, 7), (4, 4, 4), "convolution")
    check_critic((1, 7, 7), (4, 4, 4), "perceptron")
    with pytest.raises(ValueError, match=r"^model\.levels must be positive"):
        check_levels(0)
    with pytest.raises(ValueError, match=r"^model\.levels must be at most 10, got 11"):
        check_levels(11)
