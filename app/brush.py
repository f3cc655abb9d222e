"""A stretch of the plane that the reader marked: a box or a lasso, in the units of the axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_CORNERS", "Brush"]

MOST_CORNERS = 200
"""Corners of a lasso."""


@dataclass(frozen=True)
class Brush:
    """A box has two opposite corners, a lasso three or more."""

    kind: Literal["box", "lasso"]
    corners: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, told: Mapping[str, Any] | None) -> Brush | None:
        """What a chart told; None where that is nothing, or nothing that can be read."""
        if not isinstance(told, Mapping):
            return None
        if told.get("kind") == "box":
            x, y = told.get("x"), told.get("y")
            if _is_pair(x) and _is_pair(y):
                return _made("box", list(zip(x, y, strict=True)))  # type: ignore[arg-type]
        points = told.get("points")
        if told.get("kind") == "lasso" and isinstance(points, Sequence) and all(map(_is_pair, points)):
            return _made("lasso", points)
        return None

    @classmethod
    def parse(cls, text: str) -> Brush | None:
        """The inverse of ``text``; None where it is none."""
        kind, _, rest = text.partition(":")
        try:
            corners = [tuple(float(part) for part in corner.split(",")) for corner in rest.split(";")]
        except ValueError:
            return None
        return _made(kind, corners)

    def text(self) -> str:
        """For a URL: ``box:0.1,0.2;0.5,0.9``."""
        return f"{self.kind}:" + ";".join(f"{x:.6g},{y:.6g}" for x, y in self.corners)

    def told(self) -> dict[str, Any]:
        """For the chart that draws it."""
        if self.kind == "box":
            (x1, y1), (x2, y2) = self.corners
            return {"kind": "box", "x": sorted((x1, x2)), "y": sorted((y1, y2))}
        return {"kind": "lasso", "points": [list(corner) for corner in self.corners]}

    def holds(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
        """(N,) which places lie inside; by crossings of a ray for a lasso, O(N · corners)."""
        corners = np.array(self.corners, dtype=np.float64)
        if self.kind == "box":
            low, high = corners.min(axis=0), corners.max(axis=0)
            held: NDArray[np.bool_] = (x >= low[0]) & (x <= high[0]) & (y >= low[1]) & (y <= high[1])
            return held
        inside = np.zeros(len(x), dtype=np.bool_)
        for (x1, y1), (x2, y2) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            if y1 != y2:
                crossing = (y1 > y) != (y2 > y)
                inside ^= crossing & (x < x1 + (y - y1) * (x2 - x1) / (y2 - y1))
        return inside


def _made(kind: object, corners: Sequence[Sequence[float]]) -> Brush | None:
    points = tuple((float(c[0]), float(c[1])) for c in corners if len(c) == 2)
    if len(points) != len(corners) or not all(math.isfinite(v) for point in points for v in point):
        return None
    if kind == "box" and len(points) == 2:
        return Brush("box", points)
    if kind == "lasso" and 3 <= len(points) <= MOST_CORNERS:
        return Brush("lasso", points)
    return None


def _is_pair(value: object) -> bool:
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and len(value) == 2
        and all(isinstance(v, int | float) and not isinstance(v, bool) for v in value)
    )
