"""Flows of images on several scales (Dinh et al. 2017): squeeze, transform, set half of the channels aside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from trainables.models.layers.flow import Part, Row

__all__ = ["Coarser", "Squeezed", "multiscale"]


class Squeezed(Row):
    """Parts that see an image (c, h, w) as (4c, h/2, w/2): moving pixels about has determinant ±1."""

    def forward(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        """Squeeze, parts, and back."""
        y, log_det = super().forward(F.pixel_unshuffle(x, 2), inverse)
        return F.pixel_shuffle(y, 2), log_det

    def move(self, x: Tensor, inverse: bool) -> Tensor:
        """The same without determinants."""
        return F.pixel_shuffle(super().move(F.pixel_unshuffle(x, 2), inverse), 2)


class Coarser(Row):
    """Parts that act on the first channels; the others are set aside, latents as they are."""

    def __init__(self, parts: Iterable[Part], channels: int) -> None:
        super().__init__(parts)
        self.channels = channels

    def forward(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        """The first channels moved."""
        y, log_det = super().forward(x[:, : self.channels], inverse)
        return torch.cat((y, x[:, self.channels :]), dim=1), log_det

    def move(self, x: Tensor, inverse: bool) -> Tensor:
        """The same without determinants."""
        y = super().move(x[:, : self.channels], inverse)
        return torch.cat((y, x[:, self.channels :]), dim=1)


def multiscale(
    shape: tuple[int, ...],
    levels: int,
    split: bool,
    fine: Callable[[tuple[int, ...]], Sequence[Part]],
    squeezed: Callable[[tuple[int, ...]], Sequence[Part]],
) -> list[Part]:
    """Parts of a flow of images of ``shape`` (c, h, w), from latents to data.

    Every level has parts ``fine(shape)``, a squeeze, and parts ``squeezed((4c, h/2, w/2))``; with ``split`` half of the
    channels then go on to the next level, else all. After the last level come ``fine`` parts alone. Latents have the
    shape of the image: what a level sets aside stays where its squeeze has put it.
    """
    if levels == 0:
        return list(fine(shape))
    channels, inner = 4 * shape[0], (shape[1] // 2, shape[2] // 2)
    kept = channels // 2 if split else channels
    coarser = multiscale((kept, *inner), levels - 1, split, fine, squeezed)
    within = [Coarser(coarser, kept)] if coarser else []
    return [Squeezed([*within, *squeezed((channels, *inner))]), *fine(shape)]
