"""The front: configurations in the plane of two columns, the best joined by a staircase, the others faded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from explorer.figures.chart import Axis, Card, CardRow, Chart, Layer, Panel, Points, Scale, Words
from explorer.figures.front_layers import (
    attained_layers,
    best_layer,
    equal_f_layers,
    label_layer,
    path_lines,
    paths_layer,
)
from explorer.figures.front_marks import CHANCE, RANK, READING, Marks
from explorer.figures.scales import axis_of, scale_of, sizes_of
from explorer.figures.theme import CATEGORIES, SCALE
from explorer.results.columns import Codes, Columns, Mask, Numbers
from explorer.results.fields import sentence_in
from explorer.results.naming import number
from explorer.store.schema import At

__all__ = ["FrontWishes", "front_chart", "pseudo_title"]

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


@dataclass(frozen=True)
class FrontWishes:
    """What of a front to draw.

    Attributes:
        x, y, colour: columns.
        size, symbol, panel: columns that decide size, shape and panel of points, if any.
        at: the reading shown; path: the readings of its method as K grows.
        dominated, paths, attained, iso: whether to draw those parts.
        selected: identity of the trial to ring.
        named: single points by a word, as their index: the knee, the reader's preference.
        beside: other sweeps by their label; points are then coloured by sweep.
        label: of the sweep itself, where there are others.
        brush: the stretch of the plane that is marked, as the chart told it.
        thumbs: pictures by identity.
    """

    x: str
    y: str
    colour: str
    at: At
    path: tuple[At, ...] = ()
    size: str | None = None
    symbol: str | None = None
    panel: str | None = None
    dominated: bool = True
    paths: bool = False
    attained: bool = False
    iso: bool = False
    selected: str | None = None
    named: Mapping[str, int] = field(default_factory=dict)
    beside: Mapping[str, Marks] = field(default_factory=dict)
    label: str = ""
    brush: Mapping[str, object] | None = None
    thumbs: Mapping[str, str] = field(default_factory=dict)


def pseudo_title(columns: Columns, name: str) -> str:
    """What a reader calls a column of points."""
    return _TITLES[name][0] if name in _TITLES else columns.table.title(name)


def front_chart(marks: Marks, rows: Mask, wishes: FrontWishes) -> Chart:
    """The chart of a front; ``rows`` are the trials that it is about. O(n log n) for n points.

    A point may be on the front for a third objective and still lie behind the staircase of the plane.
    """
    columns, names = marks.columns, (wishes.x, wishes.y)
    x, y = (_widened(marks, wishes, name) for name in names)
    keys, key = _keys(marks)
    drawn = np.ones(len(marks), dtype=np.bool_) if wishes.dominated else marks.front
    colour, levels = _colour(marks, wishes.colour)
    if wishes.beside:
        colour, levels = _by_sweep(wishes), np.zeros(len(marks))
    symbols, codes = _symbols(marks, wishes.symbol)
    look = _Look(marks, key, levels, codes, None if wishes.size is None else marks.of(wishes.size))
    behind: list[Layer] = equal_f_layers(names) if wishes.iso else []
    if wishes.attained:
        behind += attained_layers(columns, rows, names, (x, y), wishes.at)
    behind += best_layer(marks, x, y)
    before = paths_layer(marks, names, key, wishes.path)
    before += path_lines(marks, names, wishes.path) if wishes.paths else []
    for word, index in wishes.named.items():
        before += label_layer(marks, index, word, "contrast" if word == "Knee" else "accent")
    panels = _panels(marks, wishes.panel, drawn, look)
    own = [] if panels else [*look.layers(drawn), *before]
    card = _card(marks, key, wishes.at)
    others, keys, card = _beside(wishes, keys, card)
    return Chart(
        x,
        y,
        [*behind, *others, *own],
        title=f"{y.title} against {columns.table.title_in_text(wishes.x)}",
        subtitle=_subtitle(marks, wishes),
        panels=[Panel(panel.title, [*panel.layers, *before]) for panel in panels],
        colour=colour,
        sizes=None if wishes.size is None else sizes_of(columns, wishes.size),
        symbols=symbols,
        keys=keys,
        card=card,
        thumbs=wishes.thumbs,
        selected=_selected(marks, wishes.selected, keys, key),
        select=("box", "lasso"),
        brush=wishes.brush,
        alt=_alt(marks, x.title, y.title),
        height=560,
        file="front",
    )


@dataclass(frozen=True, eq=False)
class _Look:
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


def _widened(marks: Marks, wishes: FrontWishes, name: str) -> Axis:
    """The sweep's own axis, as far as the points of others beside it reach."""
    axis = axis_of(marks.columns, name)
    ends = [axis_of(other.columns, name) for other in wishes.beside.values()]
    low, high = min([axis.low, *(end.low for end in ends)]), max([axis.high, *(end.high for end in ends)])
    return replace(axis, low=low, high=high, log=axis.log and low > 0)


def _by_sweep(wishes: FrontWishes) -> Words:
    labels = [wishes.label, *wishes.beside]
    colours = [CATEGORIES[i % len(CATEGORIES)] for i in range(len(labels))]
    return Words("Sweep", labels, colours, "The sweep that a point is of.")


def _beside(wishes: FrontWishes, keys: list[str], card: Card) -> tuple[list[Layer], list[str], Card]:
    """Layers of the other sweeps, and keys and cards with theirs behind the sweep's own."""
    layers: list[Layer] = []
    headings, notes, rows = list(card.headings), list(card.notes), list(card.rows)
    for i, (label, marks) in enumerate(wishes.beside.items(), start=1):
        own, key = _keys(marks)
        told = _card(marks, key, marks.ats[0])
        look = _Look(marks, key + len(keys), np.full(len(marks), float(i)), None, None)
        drawn = np.ones(len(marks), dtype=np.bool_) if wishes.dominated else marks.front
        layers += look.layers(drawn)
        headings += [f"{label}: {heading}" for heading in told.headings]
        notes += told.notes
        rows = _joined(rows, len(keys), told.rows, len(own))
        keys = [*keys, *(f"{label}/{identity}" for identity in own)]
    return layers, keys, Card(headings, notes, rows)


def _joined(mine: Sequence[CardRow], n: int, theirs: Sequence[CardRow], m: int) -> list[CardRow]:
    """Rows of cards of n keys and of m more; what one side does not have is left out there."""
    found = []
    for title in dict.fromkeys(row.title for row in (*mine, *theirs)):
        halves: list[Sequence[str] | Numbers | None] = [
            next((row.values for row in rows if row.title == title), None) for rows in (mine, theirs)
        ]
        if any(isinstance(half, np.ndarray) for half in halves):
            parts = [
                np.asarray(half, dtype=np.float64) if isinstance(half, np.ndarray) else np.full(size, np.nan)
                for half, size in zip(halves, (n, m), strict=True)
            ]
            found.append(CardRow(title, np.concatenate(parts)))
        else:
            words = [
                [""] * size if half is None else list(half) for half, size in zip(halves, (n, m), strict=True)
            ]
            found.append(CardRow(title, [*words[0], *words[1]]))
    return found


def _keys(marks: Marks) -> tuple[list[str], Codes]:
    """Identities of the trials that points stand for, and which of them each point has."""
    rows, key = np.unique(marks.row, return_inverse=True)
    return [marks.columns.ids[row] for row in rows], np.asarray(key, dtype=np.int64)


def _selected(marks: Marks, trial: str | None, keys: Sequence[str], key: Codes) -> list[str]:
    """The keys of the points that stand for a trial, itself or its configuration."""
    if trial is None:
        return []
    row = marks.columns.row_of[trial]
    mine = marks.row == row if marks.seeds else marks.configuration == marks.columns.configurations[row]
    return [keys[i] for i in np.unique(key[mine])]


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


def _colour(marks: Marks, name: str) -> tuple[Scale | Words, Numbers]:
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
    return scale_of(marks.columns, name), values


def _symbols(marks: Marks, name: str | None) -> tuple[Words | None, Codes | None]:
    if name is None:
        return None, None
    title, hint = _told(marks.columns, name)
    words, codes = _divided(marks, name, MOST_SYMBOLS)
    return Words(title, words, (), hint), codes


def _panels(marks: Marks, name: str | None, drawn: Mask, look: _Look) -> list[Panel]:
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


def _card(marks: Marks, key: Codes, at: At) -> Card:
    """What is told of a point: its name, its identity in grey, the objectives with their intervals."""
    count = int(key.max(initial=-1)) + 1
    first = np.full(count, -1, dtype=np.int64)
    # Of several readings of one trial the last one written stands; written backwards, that is the first.
    first[key[::-1]] = np.arange(len(key))[::-1]
    columns, names = marks.columns, marks.names()
    seeds = marks.count[first] if count else marks.count
    notes = [columns.ids[marks.row[i]] for i in first]
    if not marks.seeds:
        notes = [f"{note} · {n} seed{'s' if n > 1 else ''}" for note, n in zip(notes, seeds, strict=True)]
    shown = columns.table.headline_metrics(6, at)
    rows = [CardRow(columns.table.title(name), marks.of(name)[first]) for name in shown]
    if np.isfinite(marks.chance).any():
        rows.append(CardRow("P(front)", marks.chance[first]))
    rows.append(CardRow("Rank", marks.of(RANK)[first]))
    inert = ["λ did nothing" if hollow else "" for hollow in marks.hollow[first]]
    if any(inert):
        rows.append(CardRow("Note", inert))
    return Card([names[i] for i in first], notes, rows)


def _subtitle(marks: Marks, wishes: FrontWishes) -> str:
    where = "every reading" if len(marks.ats) > 1 else marks.columns.reading_words(wishes.at)
    what, how = ("trials", "") if marks.seeds else ("configurations", " · mean and 95 % interval over seeds")
    return f"{where} · {int(marks.front.sum()):,} of {len(marks):,} {what} on the front{how}"


def _alt(marks: Marks, x: str, y: str) -> str:
    what = "trials" if marks.seeds else "configurations"
    return f"Scatter of {len(marks)} {what}: {y} against {x}, {int(marks.front.sum())} on the front."
