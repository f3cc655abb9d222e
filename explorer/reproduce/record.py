"""What a reproduced figure is: where it was printed, and how to compute it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

__all__ = ["Compared", "Panel", "Reproduction", "Table"]


@dataclass(frozen=True)
class Compared:
    """A number of the paper beside ours, both as they are to be read."""

    what: str
    printed: str
    computed: str


@dataclass(frozen=True)
class Table:
    """A printed table, computed again.

    Attributes:
        columns: their heads, that of the rows' titles first.
        rows: by title our value in every further column and what is printed there, empty where nothing is.
    """

    columns: Sequence[str]
    rows: Mapping[str, Sequence[tuple[str, str]]]


@dataclass(frozen=True)
class Panel:
    """One picture and the sentence below it: what it shows, and where it departs from the print.

    ``numbers`` are those the paper prints with it, beside ours; ``table`` likewise, where the paper prints a table.
    """

    figure: go.Figure
    caption: str
    numbers: Sequence[Compared] = ()
    table: Table | None = None


@dataclass(frozen=True)
class Reproduction:
    """A printed figure or table that can be computed again.

    Attributes:
        name: what the command line calls it, lower case, e.g. ``thesis-4.1`` or ``thesis-table-6.1``.
        paper: author, title, year.
        place: figure and page, e.g. ``Figure 4.1, page 57``.
        title: what it shows.
        build: computes the panels; it imports what is heavy itself. Where ``sweep`` is given it takes that sweep's
            trials (``explorer.api.Results``), else nothing.
        sweep: the preset whose trained models it shows; they are read from the store, never trained on the way.
    """

    name: str
    paper: str
    place: str
    title: str
    build: Callable[..., Sequence[Panel]]
    sweep: str | None = None
