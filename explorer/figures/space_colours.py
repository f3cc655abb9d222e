"""Colours of configurations in space and over parallel axes: a scale for numbers, hues for words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.figures.front_marks import CHANCE, RANK, Marks
from explorer.figures.hover import safe
from explorer.figures.scales import is_wide, span_of
from explorer.figures.theme import ACCENT, CATEGORIES, NEUTRAL, SCALE
from explorer.results.naming import number
from explorer.store.schema import At

__all__ = ["Tint", "tint_of"]

Numbers = NDArray[np.float64]
Codes = NDArray[np.int64]
GREY = "#a9b0bc"
"""Of lines behind the front: plotly's colour scales know no opacity."""
MOST_HUES = len(CATEGORIES)


@dataclass(frozen=True, eq=False)
class Tint:
    """The colour of every point.

    Attributes:
        title: of the column.
        levels: (n,) from 0 to 1 along ``stops``; NaN where a point has none.
        stops: colours from 0 to 1, evenly.
        ticks: words by level, for the bar.
        words: names and hues of a legend; empty where a bar does its work.
    """

    title: str
    levels: Numbers
    stops: tuple[str, ...]
    ticks: Mapping[float, str] = field(default_factory=dict)
    words: tuple[tuple[str, str], ...] = ()

    @property
    def layout(self) -> dict[str, Any]:
        """The legend, or the colour axis of ``marker``."""
        if self.words:
            return {"legend": {"title": {"text": safe(self.title, 24)}, "itemsizing": "constant"}}
        scale = [[i / (len(self.stops) - 1), colour] for i, colour in enumerate(self.stops)]
        return {"coloraxis": {"colorscale": scale, "cmin": 0, "cmax": 1, "colorbar": self._bar(self.ticks)}}

    def marker(self, part: Codes) -> dict[str, Any]:
        """Colours of some of the points; those without a value are grey."""
        levels = self.levels[part]
        if self.words:
            hues = dict(zip(np.linspace(0, 1, len(self.stops)).round(6), self.stops, strict=True))
            return {"color": [hues.get(round(float(level), 6), NEUTRAL) for level in levels]}
        if not np.isfinite(levels).any():
            return {"color": NEUTRAL}
        return {"color": levels, "coloraxis": "coloraxis"}

    def line(self, order: Codes, behind: int) -> dict[str, Any]:
        """Colours of lines, the first ``behind`` of which are grey, as are those without a value.

        Plotly has one scale for all lines: its lower half is grey.
        """
        levels = 0.5 + 0.5 * self.levels[order]
        levels[:behind] = 0.0
        levels = np.where(np.isfinite(levels), levels, 0.0)
        shown = {0.25: "dominated", **{0.5 + 0.5 * level: word for level, word in self.ticks.items()}}
        own = zip(np.linspace(0.5, 1, len(self.stops)), self.stops, strict=True)
        scale = [[0.0, GREY], [0.499, GREY], *([float(at), colour] for at, colour in own)]
        return {
            "color": levels,
            "cmin": 0,
            "cmax": 1,
            "colorscale": scale,
            "showscale": True,
            "colorbar": self._bar(shown),
        }

    def _bar(self, ticks: Mapping[float, str]) -> dict[str, Any]:
        return {
            "title": {"text": safe(self.title, 24), "side": "top", "font": {"size": 12}},
            "tickvals": list(ticks),
            "ticktext": [safe(word, 20) for word in ticks.values()],
            "thickness": 9,
            "len": 0.62,
            "outlinewidth": 0,
            "ticks": "",
            "tickfont": {"size": 11},
        }


def tint_of(marks: Marks, name: str, at: At) -> Tint:
    """Colours of points by a column; dark is better, and scales are those of the sweep. O(n)."""
    columns = marks.columns
    if name in (RANK, CHANCE) or name in columns.metric_names(at) or columns.is_numeric(name):
        return _scaled(marks, name)
    words = columns.words(name)
    if not words.words:
        return Tint(columns.table.title(name), np.zeros(len(marks)), (ACCENT, ACCENT), {0.5: "all"})
    return _worded(columns.table.title(name), words.codes[marks.row], words.words)


def _scaled(marks: Marks, name: str) -> Tint:
    columns, values = marks.columns, marks.of(name)
    if name in (RANK, CHANCE):
        low, high = 0.0, 1.0 if name == CHANCE else max(1.0, float(np.nanmax(values, initial=1.0)))
        log, direction = False, "max" if name == CHANCE else "min"
        title = "Probability of the front" if name == CHANCE else "Rank"
    else:
        (low, high), log = span_of(columns, name), is_wide(columns, name)
        direction, title = columns.direction(name) or "min", columns.table.title(name)
    if log:
        low, high = math.log10(low), math.log10(high)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.where(values > 0, np.log10(values), np.nan)
    span = (high - low) or 1.0
    ends = [low + span * i / 4 for i in range(5)]
    ticks = {i / 4: number(10.0**end if log else end, 2) for i, end in enumerate(ends)}
    stops = SCALE[::-1] if direction == "max" else SCALE
    return Tint(title, np.clip((values - low) / span, 0, 1), stops, ticks)


def _worded(title: str, codes: Codes, words: tuple[str, ...]) -> Tint:
    """A hue per word; the ninth has that of the first again."""
    hues = tuple(CATEGORIES[i % MOST_HUES] for i in range(max(len(words), 2)))
    levels = np.where(codes < 0, np.nan, codes / max(len(words) - 1, 1)).astype(np.float64)
    ticks = {i / max(len(words) - 1, 1): word for i, word in enumerate(words)}
    return Tint(title, levels, hues, ticks, tuple(zip(words, hues, strict=False)))
