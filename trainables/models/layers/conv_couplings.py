"""Affine couplings of images (Dinh et al. 2017): small convolutional networks say how half of an image moves."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from trainables.models.layers.flow import Part, summed
from trainables.models.layers.stacked import SameConv

__all__ = ["ConvCoupling", "conv_network"]

_LOG_SCALE = 2.0
"""|log scale| of one coupling stays below this, so that neither direction can overflow."""


def conv_network(channels: int, width: int, out: int) -> nn.Sequential:
    """3×3, 1×1 and 3×3 convolutions with ReLUs between them; zero at the start, so that couplings are the identity."""
    last = SameConv(width, out, 3)
    nn.init.zeros_(last.weight)
    assert last.bias is not None
    nn.init.zeros_(last.bias)
    first, middle = SameConv(channels, width, 3), SameConv(width, width, 1)
    return nn.Sequential(first, nn.ReLU(), middle, nn.ReLU(), last)


class ConvCoupling(Part):
    """y = x on one half, y = x · exp(s) + t on the other, s and t of the first half; log|det| = Σ s.

    Halves are every other pixel (``checkerboard``) or the two halves of the channels; ``flip`` exchanges them.
    """

    def __init__(
        self, channels: int, width: int, halves: Literal["checkerboard", "channels"], flip: bool
    ) -> None:
        super().__init__()
        self.checkerboard = halves == "checkerboard"
        self.flip = flip
        self.kept = channels // 2 if flip else channels - channels // 2
        inputs, moved = (channels, channels) if self.checkerboard else (self.kept, channels - self.kept)
        self.net = conv_network(inputs, width, 2 * moved)

    def forward(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        """One half moved, or with ``inverse`` moved back."""
        if self.checkerboard:
            mask = self._mask(x)
            log_scale, shift = (part * (1 - mask) for part in self._scale_and_shift(x * mask))
            return _affine(x, log_scale, shift, inverse)
        order = (x.shape[1] - self.kept, self.kept) if self.flip else (self.kept, x.shape[1] - self.kept)
        first, second = x.split(order, dim=1)
        kept, moved = (second, first) if self.flip else (first, second)
        y, log_det = _affine(moved, *self._scale_and_shift(kept), inverse)
        return torch.cat((y, kept) if self.flip else (kept, y), dim=1), log_det

    def _scale_and_shift(self, kept: Tensor) -> tuple[Tensor, Tensor]:
        raw, shift = self.net(kept).chunk(2, dim=1)
        return _LOG_SCALE * torch.tanh(raw / _LOG_SCALE), shift

    def _mask(self, x: Tensor) -> Tensor:
        """(h, w): 1 where pixels stay."""
        rows, columns = (torch.arange(side, device=x.device) for side in x.shape[2:])
        return ((rows[:, None] + columns + int(self.flip)) % 2).to(x.dtype)


def _affine(x: Tensor, log_scale: Tensor, shift: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
    if inverse:
        return (x - shift) * torch.exp(-log_scale), -summed(log_scale)
    return x * torch.exp(log_scale) + shift, summed(log_scale)
