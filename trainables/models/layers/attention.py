"""Self-attention over the pixels of an image (Zhang et al. 2019)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

__all__ = ["SelfAttention"]


class SelfAttention(nn.Module):
    """x ↦ x + γ · o(softmax(θ(x)ᵀ φ(x)) g(x)), images (n, c, h, w); γ begins at 0.

    Keys φ and values g are max-pooled by two, which makes it four times cheaper.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        narrow, half = max(1, channels // 8), max(1, channels // 2)
        self.query = nn.Conv2d(channels, narrow, 1, bias=False)
        self.key = nn.Conv2d(channels, narrow, 1, bias=False)
        self.value = nn.Conv2d(channels, half, 1, bias=False)
        self.out = nn.Conv2d(half, channels, 1, bias=False)
        self.gamma = nn.Parameter(torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        """The image and what its pixels attend to."""
        query = self.query(x).flatten(-2)
        key = F.max_pool2d(self.key(x), 2).flatten(-2)
        value = F.max_pool2d(self.value(x), 2).flatten(-2)
        weights = torch.softmax(query.transpose(-1, -2) @ key, dim=-1)  # (n, h·w, h·w/4)
        mixed = (value @ weights.transpose(-1, -2)).unflatten(-1, x.shape[-2:])
        out: Tensor = x + self.gamma * self.out(mixed)
        return out
