"""A row of a table as a picture: means with their intervals and single values, one line each on one scale."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from explorer.html.markup import Markup, tag

__all__ = ["Mean", "strip"]

WIDTH, LINE, AIR = 220, 15, 8
"""Pixels: of the picture, of a line, beside the outermost values."""


@dataclass(frozen=True)
class Mean:
    """One line: a mean, the ends of its interval (NaN: none), what it is a mean of, its colour, and words for it."""

    value: float
    low: float
    high: float
    single: Sequence[float]
    colour: str
    words: str


def strip(means: Sequence[Mean]) -> Markup:
    """An SVG of as many lines as there are means, with their words on whoever points there; empty of no values."""
    every = [v for one in means for v in (one.value, one.low, one.high, *one.single) if math.isfinite(v)]
    if not every:
        return Markup("")
    low, span = min(every), max(every) - min(every)

    def x(value: float) -> str:
        return f"{AIR + (WIDTH - 2 * AIR) * ((value - low) / span if span > 0 else 0.5):.1f}"

    lines = [_line(one, x, (i + 0.5) * LINE) for i, one in enumerate(means)]
    height = LINE * len(means)
    return tag(
        "svg",
        *lines,
        viewBox=f"0 0 {WIDTH} {height}",
        width=str(WIDTH),
        height=str(height),
        role="img",
        **{"aria-label": "; ".join(one.words for one in means)},
    )


def _line(one: Mean, place: Callable[[float], str], y: float) -> Markup:
    at = f"{y:.1f}"
    parts: list[Markup] = [tag("title", one.words)]
    if math.isfinite(one.low) and math.isfinite(one.high):
        ends = {"x1": place(one.low), "x2": place(one.high), "y1": at, "y2": at}
        parts.append(
            tag("line", **ends, stroke=one.colour, **{"stroke-width": "2", "stroke-opacity": "0.55"})
        )
    parts += [
        tag("circle", cx=place(v), cy=at, r="2.2", fill=one.colour, **{"fill-opacity": "0.75"})
        for v in one.single
        if math.isfinite(v)
    ]
    if math.isfinite(one.value):
        parts.append(tag("circle", cx=place(one.value), cy=at, r="4", fill=one.colour))
    # Something to point at that is more than a hair's breadth.
    parts.append(
        tag("rect", x="0", y=f"{y - LINE / 2:.1f}", width=str(WIDTH), height=str(LINE), fill="transparent")
    )
    return tag("g", *parts)
