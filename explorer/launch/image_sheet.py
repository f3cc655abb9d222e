"""Panels of images side by side: real ones, generated ones, accepted ones, rejected ones."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

__all__ = ["ImagePanel", "image_sheet"]

LARGEST = 200_000
"""Bytes of a picture; with more, fewer tiles are drawn."""
_SIDE = 264
"""Pixels of a panel, about: small images are magnified by a whole number, large ones are drawn fewer."""
_TILES = (8, 6, 5, 4, 3, 2)
"""Tiles along a panel, the most first."""
_SMALLEST = 96
"""Pixels of a tile to which larger images are shrunk."""
_IN_A_ROW = 3
_GAP, _MARGIN, _BAND = 2, 12, 26
_INK, _PAPER, _BETWEEN = (51, 65, 85), (255, 255, 255), (226, 232, 240)

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class ImagePanel:
    """Images (n, c, h, w) as bytes below a title, c = 1 or 3; with classes (n,), a row for each of the sheet's."""

    title: str
    images: Bytes
    classes: NDArray[np.int64] | None = None


def image_sheet(panels: Sequence[ImagePanel]) -> bytes:
    """PNG of at most about 200 kB: three panels in a row, each with as many tiles as there is room for."""
    _, _, height, width = panels[0].images.shape
    most = max(2, _SIDE // min(max(height, width), _SMALLEST))
    found = b""
    for tiles in [count for count in _TILES if count <= most] or [2]:
        for colours in (None, 256):
            found = _png(_sheet(panels, tiles), colours)
            if len(found) <= LARGEST:
                return found
    return found


def _png(sheet: Image.Image, colours: int | None) -> bytes:
    buffer = io.BytesIO()
    chosen = sheet if colours is None else sheet.quantize(colours)
    chosen.save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()


def _sheet(panels: Sequence[ImagePanel], tiles: int) -> Image.Image:
    known = [panel.classes for panel in panels if panel.classes is not None]
    classes = np.unique(np.concatenate(known)) if known else np.empty(0, np.int64)
    drawn = [_panel(panel, tiles, classes) for panel in panels]
    width, height = max(one.width for one in drawn), max(one.height for one in drawn)
    columns = _columns(len(drawn))
    size = columns * (width + _MARGIN) + _MARGIN, ceil(len(drawn) / columns) * (height + _MARGIN)
    sheet = Image.new("RGB", size, _PAPER)
    for index, one in enumerate(drawn):
        row, column = divmod(index, columns)
        sheet.paste(one, (_MARGIN + column * (width + _MARGIN), row * (height + _MARGIN)))
    return sheet


def _columns(count: int) -> int:
    """Panels in a row: three at most, and two of four, which would leave half of a second row empty."""
    return 2 if count == 4 else min(count, _IN_A_ROW)


def _panel(panel: ImagePanel, tiles: int, classes: NDArray[np.int64]) -> Image.Image:
    rows = _rows(panel, tiles, classes)
    _, _, height, width = panel.images.shape
    side = _SIDE // tiles - _GAP
    scale = max(1, side // max(height, width)) if max(height, width) <= side else side / max(height, width)
    size = max(1, round(scale * width)), max(1, round(scale * height))
    step = size[0] + _GAP, size[1] + _GAP
    length = max(tiles, *(len(row) for row in rows)) if rows else tiles
    sheet = Image.new("RGB", (length * step[0] - _GAP, _BAND + max(1, len(rows)) * step[1] - _GAP), _PAPER)
    font = ImageFont.load_default(size=14)
    ImageDraw.Draw(sheet).text((0, 5), panel.title, fill=_INK, font=font)
    if rows:
        ImageDraw.Draw(sheet).rectangle((0, _BAND, sheet.width, sheet.height), fill=_BETWEEN)
    way = Image.Resampling.NEAREST if scale >= 1 else Image.Resampling.LANCZOS
    for i, row in enumerate(rows):
        for j, image in enumerate(row):
            tile = Image.fromarray(image[0] if len(image) == 1 else image.transpose(1, 2, 0))
            sheet.paste(tile.resize(size, way), (j * step[0], _BAND + i * step[1]))
    return sheet


def _rows(panel: ImagePanel, tiles: int, classes: NDArray[np.int64]) -> list[Bytes]:
    """The first tiles² images in rows, or a row of at most so many for each class, empty where there are none."""
    if panel.classes is None:
        few = panel.images[: tiles * tiles]
        return [few[start : start + tiles] for start in range(0, len(few), tiles)]
    return [panel.images[panel.classes == each][:tiles] for each in classes]
