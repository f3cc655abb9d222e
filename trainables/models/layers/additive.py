"""Parts of NICE (Dinh et al. 2014): additive couplings, which keep volume, and a scale for every coordinate."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from trainables.models.layers.flow import Part
from trainables.models.layers.perceptron import perceptron

__all__ = ["AdditiveCoupling", "Scaling"]


class AdditiveCoupling(Part):
    """y_b = x_b + m(x_a), y_a = x_a; a are the even coordinates of the flattened sample, or the odd ones."""

    def __init__(self, dim: int, width: int, layers: int, odd: bool) -> None:
        super().__init__()
        if dim < 2:
            raise ValueError(f"a coupling splits coordinates and needs at least 2, got {dim}")
        self.odd = odd
        kept = dim // 2 if odd else dim - dim // 2
        self.net = perceptron((kept, *[width] * layers, dim - kept), slope=0.0)
        last = self.net[-1]
        assert isinstance(last, nn.Linear)
        nn.init.zeros_(last.weight)  # start at the identity map
        nn.init.zeros_(last.bias)

    def forward(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        """Volume stays: log|det| = 0."""
        flat = x.flatten(1)
        even, odd = flat[:, 0::2], flat[:, 1::2]
        kept, moved = (odd, even) if self.odd else (even, odd)
        shift = self.net(kept)
        moved = moved - shift if inverse else moved + shift
        even, odd = (moved, kept) if self.odd else (kept, moved)
        odd = F.pad(
            odd, (0, even.shape[1] - odd.shape[1])
        )  # one short where the number of coordinates is odd
        y = torch.stack((even, odd), dim=-1).flatten(1)[:, : flat.shape[1]]
        return y.reshape(x.shape), x.new_zeros(x.shape[0])


class Scaling(Part):
    """y = exp(s) x, coordinate by coordinate; log|det| = Σ s."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        super().__init__()
        self.log_scale = nn.Parameter(torch.zeros(shape))

    def forward(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        """Scaled; with ``inverse`` scaled back."""
        s = -self.log_scale if inverse else self.log_scale
        return x * torch.exp(s), s.sum().expand(x.shape[0])
