"""What a reproduced figure is: where it was printed, and how to compute it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

__all__ = ["Panel", "Reproduction"]


@dataclass(frozen=True)
class Panel:
    """One picture and the sentence below it: what it shows, and where it departs from the print."""

    figure: go.Figure
    caption: str


@dataclass(frozen=True)
class Reproduction:
    """A printed figure that can be computed again.

    Attributes:
        name: what the command line calls it, lower case, e.g. ``thesis-4.1``.
        paper: author, title, year.
        place: figure and page, e.g. ``Figure 4.1, page 57``.
        title: what it shows.
        build: computes the panels; it imports what is heavy itself.
    """

    name: str
    paper: str
    place: str
    title: str
    build: Callable[[], Sequence[Panel]]
