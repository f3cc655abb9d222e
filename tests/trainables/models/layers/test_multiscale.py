"""Levels: what is squeezed, what is set aside."""

from __future__ import annotations

import torch
from torch import Tensor

from trainables.models.layers.flow import Part, Row
from trainables.models.layers.multiscale import Coarser, Squeezed, multiscale


class Doubling(Part):
    """Doubles, or halves, and remembers what it saw."""

    def __init__(self, seen: list[tuple[int, ...]]) -> None:
        super().__init__()
        self.seen = seen

    def forward(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        self.seen.append(tuple(x.shape[1:]))
        return x * (0.5 if inverse else 2.0), x.new_full((len(x),), -1.0 if inverse else 1.0)


def test_parts_see_squeezed_images_and_coarser_ones_half_of_them() -> None:
    seen: list[tuple[int, ...]] = []
    parts = multiscale((1, 8, 8), 2, True, lambda _: [], lambda _: [Doubling(seen)])
    x = torch.ones(3, 1, 8, 8)
    y, log_det = Row(parts)(x, inverse=False)
    assert seen == [(8, 2, 2), (4, 4, 4)]  # from latents to data
    assert log_det.tolist() == [2.0] * 3
    assert sorted(y[0].unique().tolist()) == [2.0, 4.0]  # set aside, or moved at both levels
    assert float((y == 4.0).float().mean()) == 0.5
    seen.clear()
    torch.testing.assert_close(Row(parts)(y, inverse=True)[0], x)
    assert seen == [(4, 4, 4), (8, 2, 2)]


def test_without_splits_all_channels_go_on() -> None:
    seen: list[tuple[int, ...]] = []
    parts = multiscale((1, 8, 8), 2, False, lambda _: [], lambda _: [Doubling(seen)])
    y = Row(parts).move(torch.ones(1, 1, 8, 8), inverse=False)
    assert seen == [(16, 2, 2), (4, 4, 4)]
    assert y.unique().tolist() == [4.0]


def test_fine_parts_stand_before_every_squeeze_and_at_the_end() -> None:
    seen: list[tuple[int, ...]] = []
    parts = multiscale((1, 4, 4), 1, True, lambda _: [Doubling(seen)], lambda _: [])
    Row(parts).move(torch.ones(1, 1, 4, 4), inverse=True)
    assert seen == [(1, 4, 4), (2, 2, 2)]


def test_squeezing_takes_blocks_of_four_pixels_apart() -> None:
    seen: list[tuple[int, ...]] = []
    image = torch.arange(16.0).reshape(1, 1, 4, 4)
    part = Squeezed([Coarser([Doubling(seen)], 1)])
    y, _ = part(image, inverse=False)
    torch.testing.assert_close(y[:, :, ::2, ::2], 2 * image[:, :, ::2, ::2])
    torch.testing.assert_close(y[:, :, 1::2], image[:, :, 1::2])
    torch.testing.assert_close(part.move(image, inverse=False), y)
