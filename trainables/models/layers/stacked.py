"""Convolutions written for stacks: whether a layer is mapped over trials just now, and the product it is then.

``F.conv2d`` mapped over T trials becomes a convolution of T groups, which cards and cores compute one by one. As slices
beside each other, times one matrix, it is one batched product instead, at the price of copies: k² of its input. A trial
alone is better served by torch's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from trainables.models.layers.conv_shape import ConvShape

__all__ = ["SameConv", "in_stack", "same_convolution", "stack_of", "windows"]

_stacked = False


@contextmanager
def stack_of(trials: int) -> Iterator[None]:
    """Modules that are called meanwhile are mapped over so many trials."""
    global _stacked
    before, _stacked = _stacked, trials > 1
    try:
        yield
    finally:
        _stacked = before


def in_stack() -> bool:
    """Whether the module is being mapped over several trials."""
    return _stacked


def windows(x: Tensor, rows: Sequence[int], columns: Sequence[int], height: int, width: int) -> Tensor:
    """(n, H, W, c) → (n, height, width, R C c): the parts that begin at each row and column, rows first."""
    return torch.cat([x[:, a : a + height, b : b + width] for a in rows for b in columns], dim=-1)


def same_convolution(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """(n, in, h, w) → (n, out, h, w) with weight (out, in, k, k), k odd, between zeros."""
    side = weight.shape[-1] // 2
    if not in_stack():
        return F.conv2d(x, weight, bias, padding=side)
    n, _, height, width = x.shape
    image = x.permute(0, 2, 3, 1)
    if side:
        shifts = range(2 * side + 1)
        image = windows(F.pad(image, (0, 0, side, side, side, side)), shifts, shifts, height, width)
    kernel = weight.permute(2, 3, 1, 0).reshape(-1, weight.shape[0])
    out = image.reshape(-1, kernel.shape[0]) @ kernel
    out = out if bias is None else out + bias
    return out.reshape(n, height, width, -1).permute(0, 3, 1, 2)


class SameConv(nn.Conv2d):
    """``nn.Conv2d(in, out, k, padding=k // 2)``, k odd: (n, in, h, w) → (n, out, h, w)."""

    def __init__(self, fan_in: int, fan_out: int, kernel: int, bias: bool = True) -> None:
        if kernel % 2 == 0:
            raise ValueError(f"a convolution that keeps the side has an odd kernel, got {kernel}")
        super().__init__(fan_in, fan_out, kernel, padding=kernel // 2, bias=bias)

    @property
    def as_convolution(self) -> ConvShape:
        """Its form, for bounds on its norm."""
        return ConvShape(padding=self.kernel_size[0] // 2)

    def forward(self, x: Tensor) -> Tensor:
        """Of images."""
        return same_convolution(x, self.weight, self.bias)
