"""What a chart of the app is told: axes, layers from back to front, and what a point says when it is pointed at.

Plain values and arrays, without a drawing library: the app's canvas draws them (``app/chart``), a saved page too. A
colour is a CSS colour or one of the roles ``accent``, ``contrast``, ``muted``, ``text``, ``grid`` and ``category:0`` …
``category:7``, which follow light and dark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "SYMBOLS",
    "Area",
    "Axis",
    "Band",
    "Card",
    "CardRow",
    "Chart",
    "Layer",
    "Line",
    "Panel",
    "Paths",
    "Points",
    "Scale",
    "Sizes",
    "Text",
    "Words",
]

Array = NDArray[Any]
Dash = Literal["solid", "dash", "dot"]

SYMBOLS = ("circle", "square", "diamond", "up", "down", "cross", "star", "hexagon")
"""Shapes of points by their code."""


@dataclass(frozen=True, eq=False)
class Axis:
    """One axis.

    Attributes:
        title: beside the axis.
        low, high: what it spans until the reader zooms, and after a reset; in the data's own units, also where ``log``.
        log: whether its scale is logarithmic (both ends are then positive).
        direction: where better lies, drawn as a small arrow; None where nobody knows.
        hint: one sentence for whoever points at the title.
        ticks: values that get a tick, with ``labels`` where they are words; the chart's own choice if empty.
    """

    title: str
    low: float
    high: float
    log: bool = False
    direction: Literal["max", "min"] | None = None
    hint: str = ""
    ticks: Sequence[float] = ()
    labels: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class Scale:
    """Colour of numbers: ``stops`` from ``low`` to ``high``, evenly on the (logarithmic) scale; NaN is grey."""

    title: str
    low: float
    high: float
    stops: Sequence[str]
    log: bool = False
    hint: str = ""
    kind: str = field(default="scale", init=False)


@dataclass(frozen=True, eq=False)
class Words:
    """Colour of words: code i of a layer is ``words[i]`` in ``colours[i]``; a negative code is grey."""

    title: str
    words: Sequence[str]
    colours: Sequence[str] = ()
    hint: str = ""
    kind: str = field(default="words", init=False)


@dataclass(frozen=True, eq=False)
class Sizes:
    """Area of points by a number: the radius grows with the root from ``low`` to ``high``; NaN has the usual one."""

    title: str
    low: float
    high: float
    log: bool = False
    hint: str = ""


@dataclass(frozen=True, eq=False)
class Points:
    """Points (n,).

    Attributes:
        x, y: places; a point without a finite place is not drawn.
        key: (n,) int, index into the chart's ``keys``; negative stands for nothing and cannot be picked.
        colour: one colour, or (n,) numbers on the chart's ``colour``: values of a scale, codes of words.
        radius: pixels, or (n,) numbers on the chart's ``sizes``.
        symbol: (n,) codes of ``SYMBOLS``, or None: circles.
        hollow: (n,) bool: drawn as a ring.
        x_low … y_high: (n,) ends of intervals; NaN or None: none.
        opacity: of all of them.
        name: in the legend; empty: not there.
        outline: colour of their edge, empty for the background's.
    """

    x: Array
    y: Array
    key: Array | None = None
    colour: str | Array = "accent"
    radius: float | Array = 5.0
    symbol: Array | None = None
    hollow: Array | None = None
    x_low: Array | None = None
    x_high: Array | None = None
    y_low: Array | None = None
    y_high: Array | None = None
    opacity: float = 1.0
    name: str = ""
    outline: str = ""
    kind: str = field(default="points", init=False)


@dataclass(frozen=True, eq=False)
class Line:
    """A line through (n,) places; NaN breaks it. ``key`` names whom it stands for: a click on it picks that."""

    x: Array
    y: Array
    colour: str = "accent"
    width: float = 2.0
    dash: Dash = "solid"
    opacity: float = 1.0
    name: str = ""
    key: str = ""
    markers: bool = False
    kind: str = field(default="line", init=False)


@dataclass(frozen=True, eq=False)
class Band:
    """What lies between two lines over x (n,); NaN breaks it."""

    x: Array
    low: Array
    high: Array
    colour: str = "accent"
    opacity: float = 0.15
    name: str = ""
    kind: str = field(default="band", init=False)


@dataclass(frozen=True, eq=False)
class Area:
    """A polygon, or several between NaN."""

    x: Array
    y: Array
    colour: str = "accent"
    opacity: float = 0.1
    name: str = ""
    kind: str = field(default="area", init=False)


@dataclass(frozen=True, eq=False)
class Text:
    """Words at places; ``anchor`` says which end of a word lies there."""

    x: Array
    y: Array
    text: Sequence[str]
    colour: str = "muted"
    anchor: Literal["start", "middle", "end"] = "middle"
    kind: str = field(default="text", init=False)


@dataclass(frozen=True, eq=False)
class Paths:
    """A line per key, (n, k), drawn for what is pointed at or selected and for nothing else."""

    x: Array
    y: Array
    key: Array
    colour: str = "accent"
    kind: str = field(default="paths", init=False)


Layer = Points | Line | Band | Area | Text | Paths


@dataclass(frozen=True, eq=False)
class Panel:
    """One of several charts beside each other that share axes, colours and keys."""

    title: str
    layers: Sequence[Layer]
    x: Axis | None = None
    y: Axis | None = None


@dataclass(frozen=True, eq=False)
class CardRow:
    """One line of all cards: numbers (NaN: left out), or words (empty: left out), one per key."""

    title: str
    values: Array | Sequence[str]


@dataclass(frozen=True, eq=False)
class Card:
    """What is shown of a key that is pointed at: a heading, a grey note such as its hash, and rows."""

    headings: Sequence[str]
    notes: Sequence[str] = ()
    rows: Sequence[CardRow] = ()


@dataclass(frozen=True, eq=False)
class Chart:
    """A whole chart.

    Attributes:
        title, subtitle: above it; ``note`` below it.
        x, y: axes of all panels that have none of their own.
        layers: from back to front; of a chart with ``panels`` they are in each panel, behind its own.
        panels: small charts beside each other; empty: one chart.
        keys: what points stand for, such as identities of trials; no two alike.
        card: what is shown of a key that is pointed at.
        thumbs: pictures for cards by key, as ``data:`` addresses.
        selected: keys that are ringed.
        select: ways in which places can be chosen, of ``box`` and ``lasso``.
        brush: what was chosen, as the chart told it, to be drawn again.
        alt: what the chart shows in one sentence, for who does not see it.
        height: pixels.
        square: whether both axes have the same scale.
        file: stem of the names of saved files.
    """

    x: Axis
    y: Axis
    layers: Sequence[Layer]
    title: str = ""
    subtitle: str = ""
    note: str = ""
    panels: Sequence[Panel] = ()
    colour: Scale | Words | None = None
    sizes: Sizes | None = None
    symbols: Words | None = None
    keys: Sequence[str] = ()
    card: Card | None = None
    thumbs: Mapping[str, str] = field(default_factory=dict)
    selected: Sequence[str] = ()
    select: Sequence[Literal["box", "lasso"]] = ()
    brush: Mapping[str, Any] | None = None
    alt: str = ""
    height: int = 460
    square: bool = False
    file: str = "tradeoff"

    def __post_init__(self) -> None:
        for layer in (*self.layers, *(layer for panel in self.panels for layer in panel.layers)):
            key = getattr(layer, "key", None)
            if isinstance(key, np.ndarray) and key.size and int(key.max()) >= len(self.keys):
                raise ValueError(
                    f"a point's key must be an index below the {len(self.keys)} keys, got {key.max()}"
                )
