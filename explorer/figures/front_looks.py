"""How the points of a front look: their colours, symbols, sizes and panels by any column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from explorer.figures.chart import Layer, Panel, Points, Scale, Words
from explorer.figures.front_marks import CHANCE, RANK, READING, Marks
from explorer.figures.scales import scale_of
from explorer.figures.theme import CATEGORIES, SCALE
from explorer.results.columns import Codes, Columns, Mask, Numbers
from explorer.results.fields import sentence_in
from explorer.results.naming import number

__all__ = ["Look", "colours_of", "panels_of", "pseudo_title", "symbols_of"]

MOST_PANELS = 9
MOST_SYMBOLS = 8
MOST_BARS = 400
"""Points whose intervals are drawn; of more, only those of the front."""
FADED = 0.28

_TITLES = {
    READING: ("Reading", "Through which refinement, and at which budget K, a point was read."),
    RANK: ("Rank", "0 on the front; else how many fronts must be taken away before a point is on one."),
    CHANCE: (
        "P(front)",
        "How often a configuration is on the front of means when its seeds are drawn again.",
    ),
}


def pseudo_title(columns: Columns, name: str) -> str:
    """What a reader calls a column of points."""
    return _TITLES[name][0] if name in _TITLES else columns.table.title(name)


@dataclass(frozen=True, eq=False)
class Look:
    """How points look, one by one."""

    marks: Marks
    key: Codes
    levels: Numbers
    symbols: Codes | None
    sizes: Numbers | None

    def layers(self, which: Mask) -> list[Layer]:
        """Those of a mask: the dominated ones faded, behind; the front's in full, with their intervals."""
        front = which & self.marks.front
        few = int(which.sum()) <= MOST_BARS
        return [self._points(which & ~front, FADED, few), self._points(front, 1.0, True)]

    def _points(self, which: Mask, opacity: float, bars: bool) -> Points:
        marks = self.marks
        bars = bars and not marks.seeds
        low, high = (marks.low[which].T, marks.high[which].T) if bars else ((None, None), (None, None))
        return Points(
            marks.place[which, 0],
            marks.place[which, 1],
            key=self.key[which],
            colour=self.levels[which],
            radius=5.5 if self.sizes is None else self.sizes[which],
            symbol=None if self.symbols is None else self.symbols[which],
            hollow=marks.hollow[which],
            x_low=low[0],
            x_high=high[0],
            y_low=low[1],
            y_high=high[1],
            opacity=opacity,
        )


def _words_of(marks: Marks, name: str) -> tuple[tuple[str, ...], Codes] | None:
    """Words of a column and their codes per point; None of a column of numbers."""
    if name == READING:
        return tuple(marks.columns.reading_words(at) for at in marks.ats), marks.reading
    if name in (RANK, CHANCE) or name in marks.columns.metric_names(marks.ats[0]):
        return None
    if marks.columns.is_numeric(name):
        return None
    column = marks.columns.words(name)
    return column.words, column.codes[marks.row]


def _divided(marks: Marks, name: str, most: int) -> tuple[tuple[str, ...], Codes]:
    """Words of any column and their codes: of numbers each value is a word; those beyond ``most`` share the last."""
    found = _words_of(marks, name)
    if found is None:
        values = marks.of(name)
        if name in marks.columns.metric_names(marks.ats[0]) or name == CHANCE:
            values = _binned(values, most)
        levels = np.unique(values[np.isfinite(values)])
        codes = np.where(np.isfinite(values), np.searchsorted(levels, np.nan_to_num(values)), -1)
        found = tuple(number(float(level)) for level in levels), codes.astype(np.int64)
    words, codes = found
    if len(words) > most:
        words = (*words[: most - 1], f"{len(words) - most + 1} others")
        codes = np.minimum(codes, most - 1)
    return words, codes


def _binned(values: Numbers, most: int) -> Numbers:
    """A continuum in a few stretches of equal length, each told by its middle."""
    finite = values[np.isfinite(values)]
    if len(np.unique(finite)) <= most:
        return values
    edges = np.linspace(finite.min(), finite.max(), 5)
    middles = (edges[1:] + edges[:-1]) / 2
    return np.where(np.isfinite(values), middles[np.clip(np.searchsorted(edges, values) - 1, 0, 3)], np.nan)


def colours_of(marks: Marks, name: str) -> tuple[Scale | Words, Numbers]:
    """What colours mean by a column, and the (n,) numbers of the points on it: values, or codes of words."""
    title, hint = _told(marks.columns, name)
    words = _words_of(marks, name)
    if words is not None:
        colours = [CATEGORIES[i % len(CATEGORIES)] for i in range(len(words[0]))]
        return Words(title, words[0], colours, hint), words[1].astype(np.float64)
    values = marks.of(name)
    if name in _TITLES:
        high = 1.0 if name == CHANCE else max(1.0, float(np.nanmax(values, initial=0.0)))
        stops = SCALE[::-1] if name == CHANCE else SCALE
        return Scale(title, 0.0, high, stops, hint=hint), values
    return scale_of(marks.columns, name, means=not marks.seeds), values


def symbols_of(marks: Marks, name: str | None) -> tuple[Words | None, Codes | None]:
    """What symbols mean by a column, and (n,) their codes; nothing where no column is named."""
    if name is None:
        return None, None
    title, hint = _told(marks.columns, name)
    words, codes = _divided(marks, name, MOST_SYMBOLS)
    return Words(title, words, (), hint), codes


def panels_of(marks: Marks, name: str | None, drawn: Mask, look: Look) -> list[Panel]:
    """A panel per value of a column, or per stretch of its values; none where no column is named."""
    if name is None:
        return []
    words, codes = _divided(marks, name, MOST_PANELS)
    title = pseudo_title(marks.columns, name)
    return [
        Panel(f"{title} {word}", look.layers(drawn & (codes == i)))
        for i, word in enumerate(words)
        if (codes == i).any()
    ]


def _told(columns: Columns, name: str) -> tuple[str, str]:
    return _TITLES[name] if name in _TITLES else (columns.table.title(name), sentence_in(columns, name))
