"""The picture of a sweep's front, for its run's page in MLflow: drawn with Pillow, which is quick to load."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

__all__ = ["Axis", "Cloud", "front_picture"]

WIDTH, HEIGHT = 680, 480
"""MLflow's page of a run gives a description some 690 pixels, and grows with a picture that is wider."""
_SCALE = 2
"""Drawn larger and shrunk, which smooths the edges."""
_LEFT, _TOP, _RIGHT, _BOTTOM = 74, 84, 112, 62
_PAPER, _TEXT, _MUTED, _GRID, _FRAME = "#ffffff", "#1c2430", "#667085", "#eceff3", "#cfd5de"
_FRONT, _REFINED, _GREY = "#1c2430", "#e07a2f", "#98a2b3"
_VIRIDIS = (
    (65, 68, 135),
    (53, 95, 141),
    (42, 120, 142),
    (33, 145, 140),
    (34, 168, 132),
    (68, 191, 112),
    (122, 209, 81),
    (189, 223, 38),
)
_TICKS = 6

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Axis:
    """What an axis shows; ``rises``: whether more is better, which way the front lies."""

    title: str
    rises: bool = True


@dataclass(frozen=True, eq=False)
class Cloud:
    """Trials to draw.

    Attributes:
        points: (n, 2) of the models as they are, and
        refined: (m, 2) of what a budget makes of them, of which the front alone is drawn.
        lambdas: (n,) by which they are coloured; NaN where there is none.
        on_front: (n,) those on the sweep's front, ringed.
        flat: whether the sweep has these two objectives alone, so that its front is the line.
    """

    points: Numbers
    refined: Numbers
    lambdas: Numbers
    on_front: NDArray[np.bool_]
    flat: bool = True


def front_picture(title: str, words: str, axes: tuple[Axis, Axis], cloud: Cloud, refined: str = "") -> bytes:
    """PNG, 680 by 480: points coloured by λ, the front as a staircase, and that of the ``refined`` in another colour.

    ``words``: a line below the title. O(n log n); ten thousand points take about a second.
    """
    from PIL import Image, ImageDraw

    points = cloud.points[np.isfinite(cloud.points).all(axis=1)]
    if not len(points):
        raise ValueError("a picture of a front needs a point, got none")
    sheet = Image.new("RGB", (WIDTH * _SCALE, HEIGHT * _SCALE), _PAPER)
    pen = ImageDraw.Draw(sheet)
    every = np.concatenate((points, cloud.refined[np.isfinite(cloud.refined).all(axis=1)]))
    frame = _Frame(*(_span(column) for column in every.T))
    _draw_axes(pen, (title, words), axes, frame)
    ways = np.array([1.0 if axis.rises else -1.0 for axis in axes])
    if len(cloud.refined):
        _draw_staircase(pen, frame, cloud.refined, ways, _REFINED)
    _draw_staircase(pen, frame, cloud.points, ways, _FRONT)
    _draw_points(pen, frame, cloud)
    _draw_legend(pen, cloud, refined)
    buffer = io.BytesIO()
    small = sheet.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    small.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
        buffer, format="PNG", compress_level=9
    )
    return buffer.getvalue()


@dataclass(frozen=True)
class _Frame:
    """From values to pixels of the larger sheet."""

    x: tuple[float, float]
    y: tuple[float, float]

    def at(self, points: Numbers) -> Numbers:
        """(n, 2) values → (n, 2) pixels."""
        low, high = np.array([self.x[0], self.y[0]]), np.array([self.x[1], self.y[1]])
        unit = (points - low) / (high - low)
        left, top = _LEFT * _SCALE, _TOP * _SCALE
        wide, tall = (WIDTH - _LEFT - _RIGHT) * _SCALE, (HEIGHT - _TOP - _BOTTOM) * _SCALE
        return np.stack((left + unit[:, 0] * wide, top + (1 - unit[:, 1]) * tall), axis=1)


def _span(values: Numbers) -> tuple[float, float]:
    """A little more than the values take; never nothing."""
    low, high = float(values.min()), float(values.max())
    room = (high / 2 - low / 2) * 0.12 or max(abs(high) * 0.05, 0.05)
    return low - room, high + room


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers between the ends, some six of them."""
    rough = (high - low) / _TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough)
    first = math.ceil(low / step)
    return [number * step for number in range(first, math.floor(high / step) + 1)]


def _draw_axes(pen: ImageDraw, head: tuple[str, str], axes: tuple[Axis, Axis], frame: _Frame) -> None:
    left, top, right, bottom = _LEFT, _TOP, WIDTH - _RIGHT, HEIGHT - _BOTTOM
    for value in _ticks(*frame.x):
        x = float(frame.at(np.array([[value, frame.y[0]]]))[0, 0]) / _SCALE
        _line(pen, [(x, top), (x, bottom)], _GRID)
        _text(pen, (x, bottom + 8), f"{value:.4g}", _MUTED, 13, "ma")
    for value in _ticks(*frame.y):
        y = float(frame.at(np.array([[frame.x[0], value]]))[0, 1]) / _SCALE
        _line(pen, [(left, y), (right, y)], _GRID)
        _text(pen, (left - 10, y), f"{value:.4g}", _MUTED, 13, "rm")
    _line(pen, [(left, top), (left, bottom), (right, bottom)], _FRAME, 1.5)
    _text(pen, (left, 12), head[0], _TEXT, 17, "la")
    _text(pen, (left, 36), head[1], _MUTED, 13, "la")
    _text(pen, ((left + right) / 2, bottom + 32), _named(axes[0]), _TEXT, 15, "ma")
    _text(pen, (left, top - 8), _named(axes[1]), _TEXT, 15, "ls")


def _named(axis: Axis) -> str:
    return f"{axis.title} (more is better)" if axis.rises else f"{axis.title} (less is better)"


def _draw_staircase(pen: ImageDraw, frame: _Frame, points: Numbers, ways: Numbers, colour: str) -> None:
    """The line of what is attained: from the best in one objective to the best in the other, by right angles."""
    from explorer.pareto.dominance import front_mask

    best = points[front_mask(-points * ways)]
    if not len(best):
        return
    best = best[np.lexsort((best[:, 1], best[:, 0]))]
    corners: list[tuple[float, float]] = []
    for x, y in frame.at(best).tolist():
        if corners:
            # Between two neighbours the worse of both coordinates is attained.
            before = corners[-1]
            corners.append((before[0], y) if ways[0] > 0 else (x, before[1]))
        corners.append((x, y))
    _line(pen, [(x / _SCALE, y / _SCALE) for x, y in corners], colour, 2.5)


def _draw_points(pen: ImageDraw, frame: _Frame, cloud: Cloud) -> None:
    radius = (5.5 if len(cloud.points) <= 400 else 3.5 if len(cloud.points) <= 3000 else 2.2) * _SCALE
    shades = _shades(cloud.lambdas)
    sound = np.asarray(np.isfinite(cloud.points).all(axis=1))
    places = frame.at(np.where(sound[:, None], cloud.points, 0.0)).tolist()
    # Those on the front above all others.
    for row in np.argsort(cloud.on_front, kind="stable").tolist():
        if not sound[row]:
            continue
        x, y = places[row]
        ring = bool(cloud.on_front[row])
        size = radius + (1.5 * _SCALE if ring else 0)
        box = (x - size, y - size, x + size, y + size)
        pen.ellipse(box, fill=shades[row], outline=_FRONT if ring else _PAPER, width=3 if ring else 1)


def _shades(lambdas: Numbers) -> list[str]:
    """A colour per point, by the logarithm of λ; grey where there is none."""
    known = np.isfinite(lambdas) & (lambdas > 0)
    if not known.any():
        return [_GREY] * len(lambdas)
    logs = np.log(np.where(known, lambdas, 1.0))
    low, high = float(logs[known].min()), float(logs[known].max())
    return [
        _shade((log - low) / (high - low) if high > low else 0.5) if sure else _GREY
        for log, sure in zip(logs.tolist(), known.tolist(), strict=True)
    ]


def _shade(share: float) -> str:
    place = min(max(share, 0.0), 1.0) * (len(_VIRIDIS) - 1)
    below = min(int(place), len(_VIRIDIS) - 2)
    part = place - below
    mixed = [
        round((1 - part) * a + part * b) for a, b in zip(_VIRIDIS[below], _VIRIDIS[below + 1], strict=True)
    ]
    return "#{:02x}{:02x}{:02x}".format(*mixed)


def _draw_legend(pen: ImageDraw, cloud: Cloud, refined: str) -> None:
    """The colours of λ on the right, and what the lines are."""
    known = cloud.lambdas[np.isfinite(cloud.lambdas) & (cloud.lambdas > 0)]
    left, top, tall = WIDTH - _RIGHT + 22, _TOP + 26, 150
    if len(known) and known.max() > known.min():
        _text(pen, (left, top - 10), "lambda", _TEXT, 14, "ls")
        for row in range(tall):
            colour = _shade(1 - row / (tall - 1))
            _line(pen, [(left, top + row), (left + 14, top + row)], colour, 1.5)
        middle = math.sqrt(float(known.max()) * float(known.min()))
        for share, value in ((0.0, known.max()), (0.5, middle), (1.0, known.min())):
            _text(pen, (left + 20, top + share * tall), f"{float(value):.3g}", _MUTED, 13, "lm")
    y = top + tall + 34
    box = (left + 3, y - 6, left + 15, y + 6)
    pen.ellipse([side * _SCALE for side in box], outline=_FRONT, width=3)
    _text(pen, (left + 24, y), "front", _TEXT, 13, "lm")
    # Of more objectives than the two of the picture the front is no line in it.
    line = "its line" if cloud.flat else "of both"
    rows = [(line, _FRONT), *([(refined, _REFINED)] if len(cloud.refined) else [])]
    for number, (words, colour) in enumerate(rows, 1):
        _line(pen, [(left, y + 24 * number), (left + 18, y + 24 * number)], colour, 2.5)
        _text(pen, (left + 24, y + 24 * number), words, _TEXT, 13, "lm")


def _line(pen: ImageDraw, points: Sequence[tuple[float, float]], colour: str, width: float = 1.0) -> None:
    pen.line(
        [(x * _SCALE, y * _SCALE) for x, y in points], fill=colour, width=round(width * _SCALE), joint="curve"
    )


def _text(pen: ImageDraw, at: tuple[float, float], words: str, colour: str, size: int, anchor: str) -> None:
    pen.text((at[0] * _SCALE, at[1] * _SCALE), words, fill=colour, font=_font(size), anchor=anchor)


@cache
def _font(size: int) -> FreeTypeFont | ImageFont:
    from PIL import ImageFont

    return ImageFont.load_default(size=size * _SCALE)
