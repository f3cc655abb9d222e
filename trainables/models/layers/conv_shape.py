"""How a layer of one's own says that it is a convolution."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ConvShape"]


@dataclass(frozen=True)
class ConvShape:
    """The form of a convolution with zero padding, dilation 1 and one group, and where its weight is.

    A layer with an attribute ``as_convolution`` of this type is, but for its bias, the convolution of its input with
    its parameter ``weight``: y = conv(x) or, ``transposed``, the adjoint of such a convolution.

    Attributes:
        stride: s.
        padding: zeros on each side, fewer than the kernel is wide.
        transposed: the layer goes from the small image to the large one.
        input_first: the weight is (in, out, k, k) as in ``nn.ConvTranspose2d``, else (out, in, k, k).
        channels_last: images are (n, height, width, channels), else (n, channels, height, width).
    """

    stride: int = 1
    padding: int = 0
    transposed: bool = False
    input_first: bool = False
    channels_last: bool = False
