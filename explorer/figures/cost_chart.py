"""The front at equal cost: pairs of a trial and a reading, coloured by their budget."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from explorer.figures.chart import Card, CardRow, Chart, Layer, Line, Points, Words
from explorer.figures.scales import axis_of
from explorer.figures.staircase import staircase
from explorer.pareto.equal_cost import Affordable
from explorer.results.columns import Columns
from explorer.results.naming import number
from explorer.store.schema import PLAIN

__all__ = ["cost_chart"]

Mask = NDArray[np.bool_]

MOST_COLOURS = 8
"""Categories that can be told apart by their colour."""


def cost_chart(columns: Columns, front: Affordable, plain: Affordable, x: str, y: str) -> Chart:
    """The pairs on the front within a cost, over the front of the model as it is. O(pairs on both fronts)."""
    readings = columns.readings
    xs, ys = _places(columns, front, x), _places(columns, front, y)
    several = len(columns.methods) > 1
    words = [at.words(with_method=several) for at in readings]
    # A trial may be there at several K: its key is the pair, and what is picked is the trial.
    keys = [columns.ids[row] for row in front.rows]
    distinct = list(dict.fromkeys(keys))
    place = {key: i for i, key in enumerate(distinct)}
    layers: list[Layer] = []
    for name, found, stroke, dash in (
        ("K = 1", plain, "muted", True),
        (f"at most {number(front.limit)}", front, "accent", False),
    ):
        line = _stairs(columns, found, x, y)
        if line is not None:
            layers.append(Line(*line, stroke, 1.4, "dash" if dash else "solid", 0.7, name))
    colour, codes = _colours(columns, words)
    layers.append(
        Points(xs, ys, np.array([place[key] for key in keys], dtype=np.int64), codes[front.readings], 6.0)
    )
    shown = {key: [] for key in distinct}  # type: dict[str, list[str]]
    for key, reading in zip(keys, front.readings, strict=True):
        shown[key].append(words[reading])
    rows = [CardRow("on the front at", [", ".join(shown[key]) for key in distinct])]
    card = Card([columns.names[columns.row_of[key]] for key in distinct], distinct, rows)
    return Chart(
        axis_of(columns, x),
        axis_of(columns, y),
        layers,
        title=f"The front at no more than {number(front.limit)} per sample",
        subtitle=f"{len(front.rows):,} of {front.pairs:,} pairs of a trial and a reading; dashed: the model as it is",
        colour=colour,
        keys=distinct,
        card=card,
        alt="The front over all pairs of a trial and a reading within the cost.",
        height=420,
        file=f"{columns.table.sweep}-equal-cost",
    )


def _colours(columns: Columns, words: Sequence[str]) -> tuple[Words, NDArray[np.float64]]:
    """A colour for every reading, or for every refinement where those would be too many; (R,) that of each reading."""
    if len(words) <= MOST_COLOURS:
        title, names, codes = "Reading", list(words), list(range(len(words)))
    else:
        title, names = "Refinement", ["as it is", *columns.methods]
        codes = [0 if at == PLAIN else names.index(at.method) for at in columns.readings]
    colours = [f"category:{i % MOST_COLOURS}" for i in range(len(names))]
    return Words(title, names, colours), np.array(codes, dtype=np.float64)


def _places(columns: Columns, front: Affordable, name: str) -> NDArray[np.float64]:
    found = np.full(len(front.rows), np.nan)
    for index in np.unique(front.readings):
        here = front.readings == index
        found[here] = columns.numbers(name, columns.readings[index])[front.rows[here]]
    return found


def _stairs(
    columns: Columns, front: Affordable, x: str, y: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    axes = axis_of(columns, x), axis_of(columns, y)
    if axes[0].direction is None or axes[1].direction is None:
        return None
    pairs = np.stack([_places(columns, front, name) for name in (x, y)], axis=1)
    pairs = pairs[np.isfinite(pairs).all(axis=1)]
    worst = [axis.low if axis.direction == "max" else axis.high for axis in axes]
    line = np.array(
        staircase(
            [(u, v) for u, v in pairs.tolist()], axes[0].direction, axes[1].direction, (worst[0], worst[1])
        )
    )
    return (line[:, 0], line[:, 1]) if len(line) else None
