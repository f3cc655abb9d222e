"""A picture of a model's samples that is small enough to be sent by the dozen: for cards that follow the pointer."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image

__all__ = ["thumbnail"]

LARGEST = 6_000
"""Bytes."""
_SIDE = 96
_TILES = 4
_PAPER, _REAL, _FAKE = (255, 255, 255), (203, 213, 225), (37, 99, 235)
_CHOICES = ((96, None), (96, 64), (96, 24), (64, 64), (64, 24), (48, 16))
"""Pixels along a sheet of images and its colours, the best first; a sheet takes the first that is small enough."""

Samples = NDArray[np.generic]


def thumbnail(real: Samples, samples: Samples) -> bytes | None:
    """PNG of at most 96 pixels a side and 6 kB, of samples (n, *shape) as a reading keeps them.

    Points in blue over real ones in grey; of images (n, c, h, w) as bytes the first sixteen. None for other shapes.
    """
    if samples.ndim == 2 and samples.shape[1] <= 2 and len(real):
        return _png(_points(real.astype(np.float64), samples.astype(np.float64)), None)
    if samples.ndim != 4 or samples.shape[1] not in (1, 3) or not len(samples):
        return None
    found = b""
    for side, colours in _CHOICES:
        found = _png(_sheet(samples, side), colours)
        if len(found) <= LARGEST:
            break
    return found


def _points(real: NDArray[np.float64], samples: NDArray[np.float64]) -> Image.Image:
    """Indices into three colours: a point is two pixels by two."""
    low, high = float(real.min()), float(real.max())
    margin = 0.15 * (high - low)
    panel = np.zeros((_SIDE, _SIDE), dtype=np.uint8)
    for points, colour in ((real, 1), (samples, 2)):
        at = _pixels(points, low - margin, high + margin)
        at = at[((at >= 0) & (at < _SIDE - 1)).all(axis=1)]
        for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
            panel[at[:, 1] + dy, at[:, 0] + dx] = colour
    picture = Image.fromarray(panel)
    picture.putpalette([part for colour in (_PAPER, _REAL, _FAKE) for part in colour])
    return picture


def _pixels(points: NDArray[np.float64], low: float, high: float) -> NDArray[np.int64]:
    """(n, d) → (n, 2) columns and rows; points on a line are spread over the height by their order."""
    if points.shape[1] == 1:
        points = np.concatenate((points, np.linspace(low, high, len(points))[:, None]), axis=1)
    unit = np.clip((points - low) / max(high - low, 1e-12), -1, 2)
    unit[:, 1] = 1 - unit[:, 1]
    return np.floor(unit * (_SIDE - 1)).astype(np.int64)


def _sheet(images: NDArray[np.generic], side: int) -> Image.Image:
    """The first images, four by four or as many as there are: shrunk, or magnified by a whole number."""
    tiles = next((count for count in (_TILES, 3, 2) if len(images) >= count**2), 1)
    few = images[: tiles * tiles].astype(np.uint8)
    _, channels, height, width = few.shape
    grid = few.reshape(tiles, tiles, channels, height, width).transpose(0, 3, 1, 4, 2)
    whole = grid.reshape(tiles * height, tiles * width, channels)
    sheet = Image.fromarray(whole[:, :, 0] if channels == 1 else whole)
    longest = max(sheet.size)
    if longest <= side:
        scale: float = side // longest
        way = Image.Resampling.NEAREST
    else:
        scale, way = side / longest, Image.Resampling.BOX
    size = max(1, round(scale * sheet.width)), max(1, round(scale * sheet.height))
    return sheet.resize(size, way)


def _png(picture: Image.Image, colours: int | None) -> bytes:
    buffer = io.BytesIO()
    chosen = picture if colours is None else picture.convert("RGB").quantize(colours)
    chosen.save(buffer, format="PNG", compress_level=9)
    return buffer.getvalue()
