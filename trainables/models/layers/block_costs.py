"""Multiplications of residual blocks and of attention for one image, reckoned without torch."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["attention_cost", "convolution_cost", "critic_cost", "generator_cost"]


def convolution_cost(kernel: int, fan_in: int, fan_out: int, side: int) -> float:
    """Of a square convolution with side × side outputs."""
    return float(kernel**2 * fan_in * fan_out * side**2)


def generator_cost(fan_in: int, fan_out: int, side: int) -> float:
    """Of a block that doubles the side, to ``side``: two 3 × 3 convolutions there, the skip's at the smaller side."""
    first, second = convolution_cost(3, fan_in, fan_out, side), convolution_cost(3, fan_out, fan_out, side)
    return first + second + convolution_cost(1, fan_in, fan_out, side // 2)


def critic_cost(channels: int, widths: Sequence[int], downs: Sequence[bool], side: int) -> float:
    """Of the blocks of a critic on images of ``side``; the skip's convolution is at the side that comes out."""
    total = 0.0
    for fan_in, fan_out, down in zip((channels, *widths), widths, downs, strict=False):
        total += convolution_cost(3, fan_in, fan_out, side) + convolution_cost(3, fan_out, fan_out, side)
        side = side // 2 if down else side
        total += convolution_cost(1, fan_in, fan_out, side) if down or fan_in != fan_out else 0.0
    return total


def attention_cost(channels: int, side: int) -> float:
    """Of self-attention: queries, keys, values and output at every pixel, and all pairs of pixels and pooled pixels."""
    narrow, half, places = max(1, channels // 8), max(1, channels // 2), side**2
    projections = places * channels * 2 * (narrow + half)
    return float(projections + places * (places // 4) * (narrow + half))
