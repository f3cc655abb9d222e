"""What every metric asks of its feature arrays: two axes, finite, same width, enough rows."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

__all__ = ["as_features", "check_neighbours", "check_pair"]


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
    finite = torch.isfinite(tensor)
    if not bool(finite.all()):
        bad = int((~finite).any(dim=1).sum())
        raise ValueError(
            f"{name} must be finite, but {bad} of {len(tensor)} samples hold NaN or infinity; "
            "remove them or mend what made them"
        )
    return tensor


def check_pair(real: Tensor, fake: Tensor) -> None:
    """Raise unless both sets live in the same space."""
    if real.shape[1] != fake.shape[1]:
        raise ValueError(
            f"real and fake features must have the same dimension, got {real.shape[1]} and {fake.shape[1]}; "
            "use the same extractor for both"
        )


def check_neighbours(n: int, k: int, name: str = "features") -> None:
    """Raise unless every one of ``n`` samples has a k-th neighbour other than itself."""
    if k < 1 or n <= k:
        raise ValueError(
            f"k must be at least 1 and below the number of samples, got k={k} with {n} samples in {name}; "
            "use more samples or a smaller k"
        )
