"""Modulation by log λ begins as the identity and is affine in the features."""

from __future__ import annotations

import torch
from torch import nn

from trainables.models.layers.film import ChannelFilm, Film, LamEmbedding, scaled


def test_log_lam_becomes_one_feature_of_usual_size() -> None:
    assert scaled(torch.tensor([3.0, -1.5])).tolist() == [[1.0], [-0.5]]
    assert LamEmbedding()(torch.zeros(5)).shape == (5, 16)


def test_it_begins_as_the_identity() -> None:
    code = LamEmbedding()(torch.randn(5))
    points, images = torch.randn(5, 7), torch.randn(5, 7, 4, 4)
    assert torch.equal(Film(7)(points, code), points)
    assert torch.equal(ChannelFilm(7)(images, code), images)


def test_channels_are_modulated_alike_at_every_pixel() -> None:
    torch.manual_seed(0)
    channels, points = ChannelFilm(7), Film(7)
    nn.init.normal_(channels.weight)
    points.load_state_dict(channels.state_dict())
    images, code = torch.randn(5, 7, 3, 2), torch.randn(5, 16)
    found = channels(images, code)
    assert not torch.allclose(found, images)
    for i in range(3):
        for j in range(2):
            torch.testing.assert_close(found[..., i, j], points(images[..., i, j], code))
