"""Parts of a step of GLOW (Kingma & Dhariwal 2018) beside its coupling: actnorm and an invertible 1×1 convolution."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from trainables.models.layers.flow import Part
from trainables.models.layers.stacked import same_convolution

__all__ = ["ActNorm", "InvertibleConv"]

_GAIN = 3.0
"""Parameters of an actnorm count this many times, so that they learn faster than weights do, as in Kingma's code."""


class ActNorm(Part):
    """z = exp(s) · (x + b) per channel, from data x to latents z; log|det| = h w Σ s.

    s = b = 0 at the start. Kingma sets them by the first batch; learned from the identity, a trial is what its seed
    and steps make it, wherever and in whatever pieces it is trained.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.log_scale = nn.Parameter(torch.zeros(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        """Towards latents with ``inverse``, towards data without."""
        log_scale, bias = (_GAIN * parameter[:, None, None] for parameter in (self.log_scale, self.bias))
        volume = (log_scale.sum() * (x.shape[2] * x.shape[3])).expand(x.shape[0])
        if inverse:
            return (x + bias) * torch.exp(log_scale), volume
        return x * torch.exp(-log_scale) - bias, -volume


class InvertibleConv(Part):
    """z = W x at every pixel, W = P L (U + diag(σ e^s)), from data x to latents z; log|det| = h w Σ s.

    L is unit lower and U strictly upper triangular. The permutation P and the signs σ are those of the rotation it
    starts from and stay: buffers. W⁻¹ is by substitution, which needs no pivots and cannot fail.
    """

    permutation: Tensor
    signs: Tensor

    def __init__(self, channels: int) -> None:
        super().__init__()
        rotation = torch.linalg.qr(torch.randn(channels, channels))[0]
        permutation, lower, upper = torch.linalg.lu(rotation)
        diagonal = upper.diagonal()
        self.register_buffer("permutation", permutation)
        self.register_buffer("signs", diagonal.sign())
        self.lower = nn.Parameter(lower.tril(-1))
        self.upper = nn.Parameter(upper.triu(1))
        self.log_scale = nn.Parameter(diagonal.abs().log())

    def _factors(self) -> tuple[Tensor, Tensor]:
        """L and U, whole and in double precision, so that W⁻¹ is the inverse of W to the last digit of a single."""
        lower, upper = self.lower.double().tril(-1), self.upper.double().triu(1)
        unit = torch.eye(len(self.log_scale), dtype=lower.dtype, device=lower.device)
        return lower + unit, upper + torch.diag_embed(self.signs * torch.exp(self.log_scale.double()))

    def forward(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        """Towards latents with ``inverse``, towards data without."""
        lower, upper = self._factors()
        volume = (self.log_scale.sum() * (x.shape[2] * x.shape[3])).expand(x.shape[0])
        if inverse:
            weight = self.permutation.double() @ lower @ upper
            return same_convolution(x, weight[:, :, None, None].to(x.dtype), None), volume
        turned = self.permutation.double().T
        solved = torch.linalg.solve_triangular(lower, turned, upper=False, unitriangular=True)
        back = torch.linalg.solve_triangular(upper, solved, upper=True)
        return same_convolution(x, back[:, :, None, None].to(x.dtype), None), -volume
