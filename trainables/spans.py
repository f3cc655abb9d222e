"""Images as bytes: what black and white are among their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

__all__ = ["as_bytes", "span_of"]

BELOW, ABOVE = -0.25, 2.0
"""Numbers below the first are of images in [-1, 1], above the second of images in 0…255: a network may overshoot."""


def as_bytes(images: Tensor, span: tuple[float, float]) -> NDArray[np.uint8]:
    """Images (n, c, h, w) as bytes on the CPU; ``span``: what black and white are."""
    import torch

    low, high = span
    unit = ((images.float() - low) / max(high - low, 1e-12)).clamp(0.0, 1.0)
    found: NDArray[np.uint8] = (255 * unit).round().to(torch.uint8).cpu().numpy()
    return found


def span_of(samples: Tensor) -> tuple[float, float] | None:
    """Black and white as some samples (n, *shape) look; None if they are no images (n, 1 or 3, h, w).

    (-1, 1) where there are numbers clearly below 0, (0, 255) where there are some far above 1, else (0, 1).
    """
    import torch

    if samples.ndim != 4 or samples.shape[1] not in (1, 3):
        return None
    if samples.dtype == torch.uint8:
        return 0.0, 255.0
    low, high = float(samples.min()), float(samples.max())
    if low < BELOW:
        return -1.0, 1.0
    return (0.0, 255.0) if high > ABOVE else (0.0, 1.0)
