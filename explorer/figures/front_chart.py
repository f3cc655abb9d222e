"""The front: configurations in the plane of two columns, the best joined by a staircase, the others faded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from explorer.figures.chart import Axis, Card, Chart, Layer, Panel, Words
from explorer.figures.front_cards import card_of, joined_rows, keys_of
from explorer.figures.front_layers import (
    attained_layers,
    best_layer,
    equal_f_layers,
    label_layer,
    path_lines,
    paths_layer,
)
from explorer.figures.front_looks import Look, colours_of, panels_of, symbols_of
from explorer.figures.front_marks import Marks
from explorer.figures.scales import axis_of, sizes_of
from explorer.figures.theme import CATEGORIES
from explorer.results.columns import Codes, Mask
from explorer.store.schema import At
from explorer.words import counted

__all__ = ["FrontWishes", "front_chart"]


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


def front_chart(marks: Marks, rows: Mask, wishes: FrontWishes) -> Chart:
    """The chart of a front; ``rows`` are the trials that it is about. O(n log n) for n points.

    A point may be on the front for a third objective and still lie behind the staircase of the plane.
    """
    columns, names = marks.columns, (wishes.x, wishes.y)
    x, y = (_widened(marks, wishes, name) for name in names)
    keys, key = keys_of(marks)
    drawn = np.ones(len(marks), dtype=np.bool_) if wishes.dominated else marks.front
    colour, levels = colours_of(marks, wishes.colour)
    if wishes.beside:
        colour, levels = _by_sweep(wishes), np.zeros(len(marks))
    symbols, codes = symbols_of(marks, wishes.symbol)
    look = Look(marks, key, levels, codes, None if wishes.size is None else marks.of(wishes.size))
    behind: list[Layer] = equal_f_layers(names) if wishes.iso else []
    if wishes.attained:
        behind += attained_layers(columns, rows, names, (x, y), wishes.at)
    behind += best_layer(marks, x, y)
    before = paths_layer(marks, names, key, wishes.path)
    before += path_lines(marks, names, wishes.path) if wishes.paths else []
    for word, index in wishes.named.items():
        before += label_layer(marks, index, word, "contrast" if word == "Knee" else "accent")
    panels = panels_of(marks, wishes.panel, drawn, look)
    own = [] if panels else [*look.layers(drawn), *before]
    card = card_of(marks, key, wishes.at)
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
        own, key = keys_of(marks)
        told = card_of(marks, key, marks.ats[0])
        look = Look(marks, key + len(keys), np.full(len(marks), float(i)), None, None)
        drawn = np.ones(len(marks), dtype=np.bool_) if wishes.dominated else marks.front
        layers += look.layers(drawn)
        headings += [f"{label}: {heading}" for heading in told.headings]
        notes += told.notes
        rows = joined_rows(rows, len(keys), told.rows, len(own))
        keys = [*keys, *(f"{label}/{identity}" for identity in own)]
    return layers, keys, Card(headings, notes, rows)


def _selected(marks: Marks, trial: str | None, keys: Sequence[str], key: Codes) -> list[str]:
    """The keys of the points that stand for a trial, itself or its configuration."""
    if trial is None:
        return []
    row = marks.columns.row_of[trial]
    mine = marks.row == row if marks.seeds else marks.configuration == marks.columns.configurations[row]
    return [keys[i] for i in np.unique(key[mine])]


def _subtitle(marks: Marks, wishes: FrontWishes) -> str:
    where = "every reading" if len(marks.ats) > 1 else marks.columns.reading_words(wishes.at)
    what, how = ("trial", "") if marks.seeds else ("configuration", " · mean and 95 % interval over seeds")
    return f"{where} · {int(marks.front.sum()):,} of {counted(len(marks), what)} on the front{how}"


def _alt(marks: Marks, x: str, y: str) -> str:
    what = "trials" if marks.seeds else "configurations"
    return f"Scatter of {len(marks)} {what}: {y} against {x}, {int(marks.front.sum())} on the front."
