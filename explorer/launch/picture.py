"""A small picture of a trial's samples, for the run's page in MLflow."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

__all__ = ["sample_picture"]

_SIDE = 320
_SCALE = 3
"""Drawn larger and shrunk, which smooths the edges."""
_REAL, _FAKE, _INK = (203, 213, 225), (37, 99, 235), (71, 85, 105)


def sample_picture(samples: Mapping[str, Any]) -> bytes:
    """PNG: real points in grey below generated ones in blue, a panel per budget K."""
    real = np.asarray(samples["real"], dtype=np.float64)
    panels = {f"K = {k}": np.asarray(points) for k, points in samples.get("budgets", {}).items()}
    panels = panels or {"K = 1": np.asarray(samples["fake"])}
    low, high = real.min(), real.max()
    margin = 0.15 * (high - low)
    sheet = Image.new("RGB", (_SIDE * len(panels), _SIDE), "white")
    for index, (title, fake) in enumerate(panels.items()):
        panel = Image.new("RGB", (_SIDE * _SCALE, _SIDE * _SCALE), "white")
        draw = ImageDraw.Draw(panel)
        for points, colour in ((real, _REAL), (fake, _FAKE)):
            for x, y in _pixels(points, low - margin, high + margin):
                draw.ellipse((x - 4, y - 4, x + 4, y + 4), fill=colour)
        panel = panel.resize((_SIDE, _SIDE), Image.Resampling.LANCZOS)
        ImageDraw.Draw(panel).text((10, 8), title, fill=_INK)
        sheet.paste(panel, (index * _SIDE, 0))
    buffer = io.BytesIO()
    sheet.save(buffer, format="PNG")
    return buffer.getvalue()


def _pixels(points: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """(n, d) → (n, 2) pixel positions; points on a line are spread over the height by their order."""
    if points.shape[1] == 1:
        spread = np.linspace(low, high, len(points))[:, None]
        points = np.concatenate((points, spread), axis=1)
    unit = (points[:, :2] - low) / (high - low)
    unit[:, 1] = 1 - unit[:, 1]
    return np.clip(unit, -0.1, 1.1) * (_SIDE * _SCALE)
