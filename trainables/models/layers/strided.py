"""4 × 4 convolutions of stride 2 as one matrix product each, so that T stacked trials are one batched product.

A padded image is cut into 2 × 2 blocks whose pixels become channels (space to depth). A 4 × 4 window that moves by two
is then a 2 × 2 window that moves by one: four shifted slices beside each other, times one matrix. A trial alone is
convolved by torch.
"""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from trainables.models.layers.conv_shape import ConvShape
from trainables.models.layers.stacked import in_stack, windows

__all__ = ["StridedConv", "StridedTransposed"]

_KERNEL, _STRIDE, _PADDING = 4, 2, 1


class StridedConv(nn.Conv2d):
    """``nn.Conv2d(in, out, 4, stride=2, padding=1)``: (n, in, h, w) → (n, out, ⌊h/2⌋, ⌊w/2⌋).

    The weight is (out, in, 4, 4).
    """

    as_convolution = ConvShape(_STRIDE, _PADDING)

    def __init__(self, fan_in: int, fan_out: int, bias: bool = True) -> None:
        super().__init__(fan_in, fan_out, _KERNEL, _STRIDE, _PADDING, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        """y[i, j] = Σ_{a,b} block[i+a, j+b] · W[2a+p, 2b+q], with p, q the place in a block."""
        if not in_stack():
            return super().forward(x)
        n, channels, height, width = x.shape[0], x.shape[1], x.shape[2] // 2, x.shape[3] // 2
        edges = (
            0,
            0,
            1,
            1 - x.shape[3] % 2,
            1,
            1 - x.shape[2] % 2,
        )  # the last of an odd number is never reached
        padded = F.pad(x.permute(0, 2, 3, 1), edges)
        blocks = padded.reshape(n, height + 1, 2, width + 1, 2, channels).permute(0, 1, 3, 2, 4, 5)
        blocks = blocks.reshape(n, height + 1, width + 1, 4 * channels)
        seen = windows(blocks, (0, 1), (0, 1), height, width)
        kernel = self.weight.reshape(-1, channels, 2, 2, 2, 2).permute(
            2, 4, 3, 5, 1, 0
        )  # (a, b, p, q, in, out)
        out = seen.reshape(-1, 16 * channels) @ kernel.reshape(16 * channels, -1)
        out = out if self.bias is None else out + self.bias
        return out.reshape(n, height, width, -1).permute(0, 3, 1, 2)


class StridedTransposed(nn.ConvTranspose2d):
    """``nn.ConvTranspose2d(in, out, 4, stride=2, padding=1)``: (n, in, h, w) → (n, out, 2h, 2w).

    The weight is (in, out, 4, 4): that of the convolution out → in whose adjoint this is, so that both have one norm.
    """

    as_convolution = ConvShape(_STRIDE, _PADDING, transposed=True, input_first=True)

    def __init__(self, fan_in: int, fan_out: int, bias: bool = True) -> None:
        super().__init__(fan_in, fan_out, _KERNEL, _STRIDE, _PADDING, bias=bias)

    def forward(self, x: Tensor, output_size: list[int] | None = None) -> Tensor:
        """block[i, j] = Σ_{a,b} x[i-a, j-b] · W[2a+p, 2b+q]; depth to space, and a crop of one."""
        if output_size is not None:
            raise ValueError("a transposed convolution of stride 2 doubles the side; leave output_size out")
        if not in_stack():
            return super().forward(x)
        n, channels, height, width = x.shape
        padded = F.pad(x.permute(0, 2, 3, 1), (0, 0, 1, 1, 1, 1))
        seen = windows(padded, (1, 0), (1, 0), height + 1, width + 1)
        kernel = self.weight.reshape(channels, -1, 2, 2, 2, 2).permute(
            2, 4, 0, 3, 5, 1
        )  # (a, b, in, p, q, out)
        out = seen.reshape(-1, 4 * channels) @ kernel.reshape(4 * channels, -1)
        blocks = out.reshape(n, height + 1, width + 1, 2, 2, -1).permute(0, 1, 3, 2, 4, 5)
        image = blocks.reshape(n, 2 * height + 2, 2 * width + 2, -1)[:, 1:-1, 1:-1]
        image = image if self.bias is None else image + self.bias
        return image.permute(0, 3, 1, 2)
