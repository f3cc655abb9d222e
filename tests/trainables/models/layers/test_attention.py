"""Self-attention: the identity at first, a mixture of pixels then, blind to where pixels stand."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from trainables.models.layers.attention import SelfAttention


def test_it_begins_as_the_identity() -> None:
    x = torch.randn(2, 16, 4, 4)
    assert torch.equal(SelfAttention(16)(x), x)


def test_pixels_attend_by_their_products() -> None:
    torch.manual_seed(0)
    layer, x = SelfAttention(16), torch.randn(1, 16, 4, 4)
    torch.nn.init.constant_(layer.gamma, 0.7)
    query = (layer.query.weight[:, :, 0, 0] @ x[0].flatten(1)).T  # pixel by pixel, in loops
    key = F.max_pool2d(layer.key(x), 2)[0].flatten(1)
    value = F.max_pool2d(layer.value(x), 2)[0].flatten(1)
    mixed = torch.stack([value @ torch.softmax(key.T @ q, 0) for q in query], dim=1)
    expected = x[0].flatten(1) + 0.7 * layer.out.weight[:, :, 0, 0] @ mixed
    torch.testing.assert_close(layer(x)[0].flatten(1), expected, rtol=1e-4, atol=1e-5)


def test_narrow_images_have_one_channel_of_keys() -> None:
    assert SelfAttention(4)(torch.randn(2, 4, 4, 4)).shape == (2, 4, 4, 4)
    assert SelfAttention(1).key.out_channels == 1
