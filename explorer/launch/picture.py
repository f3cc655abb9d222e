"""A small picture of a trial's points, for the run's page in MLflow; that of images is in ``image_sheet``."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

__all__ = ["sample_picture"]

_SIDE = 320
_SCALE = 2
"""Drawn larger and shrunk, which smooths the edges."""
_RADIUS = 3
_REAL, _FAKE, _INK = (203, 213, 225), (37, 99, 235), (71, 85, 105)

Samples = NDArray[np.generic]


def sample_picture(real: Samples, readings: Mapping[str, Samples]) -> bytes | None:
    """PNG, a panel per reading: real points in grey below generated ones in blue.

    None for samples that are no points of a line or plane.
    """
    if real.ndim != 2 or real.shape[1] > 2:
        return None
    panels = [_points(real.astype(np.float64), fake.astype(np.float64)) for fake in readings.values()]
    sheet = Image.new("RGB", (_SIDE * len(panels), _SIDE), "white")
    for index, (title, panel) in enumerate(zip(readings, panels, strict=True)):
        ImageDraw.Draw(panel).text((10, 8), title, fill=_INK, font=ImageFont.load_default(size=13))
        sheet.paste(panel, (index * _SIDE, 0))
    buffer = io.BytesIO()
    sheet.save(buffer, format="PNG", compress_level=3)
    return buffer.getvalue()


def _points(real: NDArray[np.float64], fake: NDArray[np.float64]) -> Image.Image:
    low, high = real.min(), real.max()
    margin = 0.15 * (high - low)
    panel = np.full((_SIDE * _SCALE, _SIDE * _SCALE, 3), 255, dtype=np.uint8)
    for points, colour in ((real, _REAL), (fake, _FAKE)):
        _stamp(panel, _pixels(points, low - margin, high + margin), colour)
    return Image.fromarray(panel).reduce(_SCALE)


def _stamp(panel: NDArray[np.uint8], centres: NDArray[np.int64], colour: tuple[int, int, int]) -> None:
    """Discs around centres (n, 2), all at once; what lies outside of the panel is left out."""
    side = len(panel)
    reach = np.arange(-_RADIUS, _RADIUS + 1)
    dx, dy = (offsets.ravel() for offsets in np.meshgrid(reach, reach))
    inside = dx**2 + dy**2 <= _RADIUS**2
    x = centres[:, :1] + dx[inside]
    y = centres[:, 1:] + dy[inside]
    seen = (x >= 0) & (x < side) & (y >= 0) & (y < side)
    panel[y[seen], x[seen]] = colour


def _pixels(points: NDArray[np.float64], low: float, high: float) -> NDArray[np.int64]:
    """(n, d) → (n, 2) pixel positions; points on a line are spread over the height by their order."""
    if points.shape[1] == 1:
        spread = np.linspace(low, high, len(points))[:, None]
        points = np.concatenate((points, spread), axis=1)
    unit = (points[:, :2] - low) / max(high - low, 1e-12)
    unit[:, 1] = 1 - unit[:, 1]
    return np.rint(np.clip(unit, -0.1, 1.1) * (_SIDE * _SCALE)).astype(np.int64)
