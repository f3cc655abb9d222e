"""Which samples of a trial are kept to be shown, as plain data: some hundred points, or some dozen images as bytes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from trainables.spans import as_bytes

__all__ = ["Shown", "shown"]

POINTS = 500
IMAGES = 64
ROWS, COLUMNS = 10, 8
"""Classes that are shown, and images of each, where samples are made for a class."""
PIXELS = 1 << 21
"""Numbers in the images of one reading, at most: those of large ones are fewer."""


class Shown(NamedTuple):
    """Points (n, d) as they are, or images (n, c, h, w) as bytes and, where they have some, their classes (n,)."""

    samples: np.ndarray | None = None
    classes: np.ndarray | None = None


def shown(samples: Tensor, classes: Tensor | None = None, span: tuple[float, float] = (0.0, 1.0)) -> Shown:
    """Some of samples (n, *shape): the first ones; of images with classes (n,), the first of each of the first classes.

    ``span``: what black and white are.
    """
    if samples.ndim != 4:
        return Shown(samples[:POINTS].cpu().numpy())
    size = max(1, samples[0].numel()) if len(samples) else 1
    if classes is None:
        return Shown(as_bytes(samples[: max(4, min(IMAGES, PIXELS // size))], span))
    columns = max(2, min(COLUMNS, PIXELS // (ROWS * size)))
    chosen = [torch.nonzero(classes == c).flatten()[:columns] for c in range(ROWS)]
    index = torch.cat(chosen) if chosen else torch.empty(0, dtype=torch.int64)
    return Shown(as_bytes(samples[index], span), classes[index].cpu().numpy())
