"""Colour of points by a column: a sequential scale for numbers, distinct hues for words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from explorer.figures.columns import Column
from explorer.figures.hover import safe
from explorer.figures.theme import CATEGORIES, NEUTRAL, SCALE
from explorer.results.naming import number

__all__ = ["Colouring", "Group", "colouring"]

MOST_WORDS = 40
"""Words that a legend tells one by one, the most frequent ones."""


@dataclass(frozen=True)
class Group:
    """Rows drawn as one trace; ``name`` is empty where a colour bar does the legend's work."""

    name: str
    rows: tuple[int, ...]
    colour: str | None = None
    levels: Mapping[int, float] = field(default_factory=dict)

    def marker(self, rows: Sequence[int]) -> dict[str, Any]:
        """Marker colour of the given rows, on the figure's colour axis or plain."""
        if self.colour is not None:
            return {"color": self.colour}
        return {"color": [self.levels[i] for i in rows], "coloraxis": "coloraxis"}


@dataclass(frozen=True)
class Colouring:
    """Groups of rows, and the layout of their colour bar or legend."""

    groups: tuple[Group, ...]
    layout: Mapping[str, Any]


def colouring(by: Column, rows: Sequence[int]) -> Colouring:
    """Colours of the rows by a column; dark is better, and rows without a value are grey."""
    coloured = [i for i in rows if by.values[i] is not None]
    grey = Group("", tuple(i for i in rows if by.values[i] is None), colour=NEUTRAL)
    if not by.numeric:
        same: dict[str, list[int]] = {}
        for i in coloured:
            same.setdefault(str(by.values[i]), []).append(i)
        often = sorted(same, key=lambda word: (-len(same[word]), word))
        told, others = sorted(often[:MOST_WORDS]), often[MOST_WORDS:]
        groups = [
            Group(word, tuple(same[word]), CATEGORIES[j % len(CATEGORIES)]) for j, word in enumerate(told)
        ]
        if others:
            groups.append(
                Group(f"{len(others)} others", tuple(i for word in others for i in same[word]), NEUTRAL)
            )
        legend = {"title": {"text": safe(by.title, 24)}, "x": 1.02, "y": 0.95, "itemsizing": "constant"}
        return Colouring((grey, *groups), {"legend": legend})
    numbers = by.numbers()
    levels = {i: by.level(numbers[i]) for i in coloured}
    return Colouring(
        (grey, Group("", tuple(coloured), levels=levels)), {"coloraxis": _axis(by, list(levels.values()))}
    )


def _axis(by: Column, levels: Sequence[float]) -> dict[str, Any]:
    scale = SCALE[::-1] if by.direction == "max" else SCALE
    low, high = (min(levels), max(levels)) if levels else (0.0, 1.0)
    ticks: dict[str, Any] = {}
    if by.log:
        at = [low + (high - low) * t / 4 for t in range(5)]
        ticks = {"tickvals": at, "ticktext": [number(by.value_at(t), 2) for t in at]}
    return {
        "colorscale": [[i / (len(scale) - 1), c] for i, c in enumerate(scale)],
        "cmin": low,
        "cmax": high if high > low else low + 1e-9 + abs(low) * 1e-3,
        "colorbar": {
            "title": {"text": safe(by.title, 24), "side": "top", "font": {"size": 12}},
            "thickness": 9,
            "len": 0.62,
            "y": 0.5,
            "x": 1.02,
            "outlinewidth": 0,
            "ticks": "",
            "tickfont": {"size": 11},
            **ticks,
        },
    }
