"""A small picture of a trial's points, for the run's page in MLflow; that of images is in ``image_sheet``."""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

__all__ = ["sample_picture"]

_SIDE = 320
_SCALE = 2
"""Drawn larger and shrunk, which smooths the edges."""
_RADIUS = 3
_PAPER, _REAL, _FAKE, _INK = (255, 255, 255), (203, 213, 225), (37, 99, 235), (71, 85, 105)
_PARTS = _SCALE**2
"""Pixels that are shrunk to one."""
_HEAD, _SHADES = 32, 16
"""Rows in which the title stands, and shades of its letters."""

Samples = NDArray[np.generic]


def sample_picture(real: Samples, readings: Mapping[str, Samples]) -> bytes | None:
    """PNG, a panel per reading: real points in grey below generated ones in blue.

    None for samples that are no points of a line or plane. A pixel mixes paper, grey and blue in whole parts, so that
    few colours are all there are, and a palette holds them: most of the time of true colours went into writing them.
    """
    if real.ndim != 2 or real.shape[1] > 2:
        return None
    low, high = float(real.min()), float(real.max())
    margin = 0.15 * (high - low)
    span = low - margin, high + margin
    below = np.zeros((_SIDE * _SCALE, _SIDE * _SCALE), dtype=np.uint8)
    _stamp(below, _pixels(real.astype(np.float64), *span), 1)
    sheet = np.concatenate([_panel(below, points, title, span) for title, points in readings.items()], axis=1)
    picture = Image.fromarray(sheet)
    picture.putpalette(_palette())
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG", compress_level=3)
    return buffer.getvalue()


def _panel(
    below: NDArray[np.uint8], points: Samples, title: str, span: tuple[float, float]
) -> NDArray[np.uint8]:
    """(side, side) indices into the palette: parts of grey, plus (parts + 1) times those of blue; or a shade of ink."""
    panel = below.copy()
    _stamp(panel, _pixels(points.astype(np.float64), *span), _PARTS + 1)
    mixed: NDArray[np.uint8] = panel.reshape(_SIDE, _SCALE, _SIDE, _SCALE).sum(axis=(1, 3), dtype=np.uint8)
    letters = Image.new("L", (_SIDE, _HEAD))
    ImageDraw.Draw(letters).text((10, 8), title, fill=255, font=_font())
    shades = np.asarray(letters) // (256 // _SHADES)
    mixed[:_HEAD][shades > 0] = (_PARTS + 1) ** 2 + shades[shades > 0]
    return mixed


@cache
def _font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size=13)


@cache
def _palette() -> bytes:
    """Colours by index, three bytes each: mixtures first, then ink on paper in shades."""
    paper, real, fake, ink = (np.array(colour, dtype=float) for colour in (_PAPER, _REAL, _FAKE, _INK))
    blue, grey = np.divmod(np.arange((_PARTS + 1) ** 2), _PARTS + 1)
    mixed = (np.outer(_PARTS - grey - blue, paper) + np.outer(grey, real) + np.outer(blue, fake)) / _PARTS
    share = np.arange(_SHADES)[:, None] / (_SHADES - 1)
    colours = np.concatenate((mixed, (1 - share) * paper + share * ink))
    return bytes(np.rint(colours.clip(0, 255)).astype(np.uint8).tobytes())


def _stamp(panel: NDArray[np.uint8], centres: NDArray[np.int64], value: int) -> None:
    """Discs around centres (n, 2), all at once; what lies outside of the panel is left out."""
    side = len(panel)
    reach = np.arange(-_RADIUS, _RADIUS + 1)
    dx, dy = (offsets.ravel() for offsets in np.meshgrid(reach, reach))
    inside = dx**2 + dy**2 <= _RADIUS**2
    x = centres[:, :1] + dx[inside]
    y = centres[:, 1:] + dy[inside]
    seen = (x >= 0) & (x < side) & (y >= 0) & (y < side)
    panel[y[seen], x[seen]] = value


def _pixels(points: NDArray[np.float64], low: float, high: float) -> NDArray[np.int64]:
    """(n, d) → (n, 2) pixel positions; points on a line are spread over the height by their order."""
    if points.shape[1] == 1:
        spread = np.linspace(low, high, len(points))[:, None]
        points = np.concatenate((points, spread), axis=1)
    unit = (points[:, :2] - low) / max(high - low, 1e-12)
    unit[:, 1] = 1 - unit[:, 1]
    return np.rint(np.clip(unit, -0.1, 1.1) * (_SIDE * _SCALE)).astype(np.int64)
