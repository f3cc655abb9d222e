"""Images that pull precision and recall down, in two rows: generated ones outside of the data, real ones missed."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

__all__ = ["witness_sheet"]

LARGEST = 150_000
"""Bytes of a sheet; a larger one is drawn with fewer colours, then smaller."""
_SIDES = (64, 48, 32)
"""Pixels of a tile, about: small images are magnified by a whole number, large ones are shrunk."""
_GAP, _BAND = 2, 26
_INK, _PAPER, _BETWEEN = (51, 65, 85), (255, 255, 255), (226, 232, 240)

Bytes = NDArray[np.uint8]


def witness_sheet(rows: Sequence[tuple[str, Bytes]]) -> bytes:
    """PNG of at most about 150 kB: a row of images (n, c, h, w) as bytes below each title, c = 1 or 3."""
    found = b""
    for side in _SIDES:
        sheet = _sheet(rows, side)
        for colours in (None, 256, 64):
            found = _png(sheet, colours)
            if len(found) <= LARGEST:
                return found
    return found


def _sheet(rows: Sequence[tuple[str, Bytes]], side: int) -> Image.Image:
    height, width = rows[0][1].shape[2:]
    longest = max(height, width)
    scale = max(1, side // longest) if longest <= side else side / longest
    size = max(1, round(scale * width)), max(1, round(scale * height))
    most = max(1, *(len(images) for _, images in rows))
    step = _BAND + size[1] + _GAP
    # A title is wider than a few small tiles.
    sheet = Image.new("RGB", (max(most * (size[0] + _GAP) - _GAP, 240), len(rows) * step - _GAP), _PAPER)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=14)
    way = Image.Resampling.NEAREST if scale >= 1 else Image.Resampling.LANCZOS
    for i, (title, images) in enumerate(rows):
        draw.text((0, i * step + 5), title, fill=_INK, font=font)
        for j, image in enumerate(images):
            tile = Image.fromarray(image[0] if len(image) == 1 else image.transpose(1, 2, 0))
            corner = j * (size[0] + _GAP), i * step + _BAND
            draw.rectangle((*corner, corner[0] + size[0] + _GAP - 1, corner[1] + size[1] - 1), fill=_BETWEEN)
            sheet.paste(tile.resize(size, way), corner)
    return sheet


def _png(sheet: Image.Image, colours: int | None) -> bytes:
    buffer = io.BytesIO()
    chosen = sheet if colours is None else sheet.quantize(colours)
    chosen.save(buffer, format="PNG", compress_level=4)
    return buffer.getvalue()
