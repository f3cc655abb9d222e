"""Scored samples as files and folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

__all__ = ["archive", "folder", "pictures"]


def archive(path: Path, count: int = 5000, **changes: NDArray[np.generic]) -> Path:
    """Points of N(0, 1) with log p/q for P = N(1, 1)."""
    x = np.random.default_rng(0).standard_normal((count, 1)).astype(np.float32)
    arrays: dict[str, NDArray[np.generic]] = {"samples": x, "scores": x[:, 0] - 0.5, **changes}
    kept: dict[str, Any] = {name: values for name, values in arrays.items() if values.ndim}
    np.savez(path, **kept)
    return path


def pictures(count: int, channels: int = 3, side: int = 4) -> NDArray[np.uint8]:
    """Images (count, h, w, c), or (count, h, w) where they are grey."""
    shape = (count, side, side, 3) if channels == 3 else (count, side, side)
    return np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)


def folder(path: Path, count: int = 30, channels: int = 3) -> Path:
    """A folder of images without scores."""
    path.mkdir()
    for place, pixels in enumerate(pictures(count, channels)):
        Image.fromarray(pixels).save(path / f"{place:04}.png")
    return path
