"""What every metric asks of its feature arrays: two axes, finite, same width, enough rows."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from trainables.refusals import not_finite

__all__ = ["as_features", "blocks", "check_neighbours", "check_pair", "column_mean"]

_BLOCK = 1 << 20  # numbers widened to float64 at a time


def as_features(x: Tensor | np.ndarray, name: str = "features") -> Tensor:
    """``x`` as a finite floating-point tensor (N, d); one axis is read as d = 1.

    Integers become float64, half precision float32; float32 and float64 stay what they are.
    """
    tensor = torch.as_tensor(x).detach()
    if tensor.ndim == 1:
        tensor = tensor[:, None]
    if tensor.ndim != 2 or 0 in tensor.shape:
        raise ValueError(
            f"{name} must be an array (samples, dimensions) with at least one of each, "
            f"got shape {tuple(tensor.shape)}; flatten images or extract features first"
        )
    if tensor.dtype in (torch.float16, torch.bfloat16):
        tensor = tensor.float()
    elif not tensor.is_floating_point():
        tensor = tensor.double()
    # A finite sum proves every term finite; only when it is not, the samples are looked at one by one.
    if not math.isfinite(float(tensor.sum())):
        bad = int((~torch.isfinite(tensor)).any(dim=1).sum())
        if bad == 0:
            return tensor
        raise not_finite(name, bad, len(tensor))
    return tensor


def check_pair(real: Tensor, fake: Tensor) -> tuple[Tensor, Tensor]:
    """Both sets in one precision and on one device, or raise unless they live in the same space."""
    if real.shape[1] != fake.shape[1]:
        raise ValueError(
            f"real and fake features must have the same dimension, got {real.shape[1]} and {fake.shape[1]}; "
            "use the same extractor for both"
        )
    if real.device != fake.device:
        raise ValueError(f"real and fake features must be on one device, got {real.device} and {fake.device}")
    dtype = torch.promote_types(real.dtype, fake.dtype)
    return real.to(dtype), fake.to(dtype)


def check_neighbours(n: int, k: int, name: str = "features") -> None:
    """Raise unless every one of ``n`` samples has a k-th neighbour other than itself."""
    if k < 1 or n <= k:
        raise ValueError(
            f"k must be at least 1 and below the number of samples, got k={k} with {n} samples in {name}; "
            "use more samples or a smaller k"
        )


def blocks(x: Tensor) -> Iterator[Tensor]:
    """Copies of the rows of ``x`` (N, d) in float64, a million numbers at a time (all at once on CUDA)."""
    step = len(x) if x.device.type == "cuda" else max(1, _BLOCK // x.shape[1])
    for start in range(0, len(x), step):
        yield x[start : start + step].to(torch.float64, copy=True)


def column_mean(x: Tensor) -> Tensor:
    """The mean of the rows of ``x`` (N, d), summed in float64 → (d,)."""
    total = torch.zeros(x.shape[1], dtype=torch.float64, device=x.device)
    for block in blocks(x):
        total += block.sum(dim=0)
    return total / len(x)
