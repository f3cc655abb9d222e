"""Batch normalisation of images in plain operations (Ioffe & Szegedy 2015)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["BatchNorm"]


class BatchNorm(nn.BatchNorm2d):
    """x (n, c, h, w) ↦ γ (x - mean) / √(var + ε) + β, of the batch in training and of its running average after.

    ``nn.BatchNorm2d`` by its own kernel can be mapped over trials, but not mapped and compiled, nor mapped in bfloat16
    on a CPU. This one is a handful of sums and products, which compilers fuse; statistics are float32 in any case.

    The running average is the plain mean of the first hundred batches and moves by 1% a batch from there on. torch's
    10% is the mean of about twenty batches: with 64 images each, two readings of one generator differ by it.
    """

    def __init__(self, channels: int, *, affine: bool = True) -> None:
        super().__init__(channels, momentum=0.01, affine=affine)

    def forward(self, x: Tensor) -> Tensor:
        """Normalised images, of the type of ``x``."""
        assert self.running_mean is not None
        assert self.running_var is not None
        assert self.num_batches_tracked is not None
        assert self.momentum is not None
        wide = x.float()
        if self.training:
            mean = wide.mean((0, 2, 3))
            variance = (wide - mean[:, None, None]).square().mean((0, 2, 3))
            count = x.shape[0] * x.shape[2] * x.shape[3]
            with torch.no_grad():
                self.num_batches_tracked.add_(1)
                share = (1 / self.num_batches_tracked).clamp(min=self.momentum)
                self.running_mean.add_((mean - self.running_mean) * share)
                self.running_var.add_((variance * (count / max(count - 1, 1)) - self.running_var) * share)
        else:
            mean, variance = self.running_mean, self.running_var
        scale = torch.rsqrt(variance + self.eps)
        shift = -mean * scale
        if self.affine:
            scale, shift = scale * self.weight, shift * self.weight + self.bias
        return (wide * scale[:, None, None] + shift[:, None, None]).to(x.dtype)
