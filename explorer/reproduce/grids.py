"""Small pictures side by side: laws above, curves below, as the papers arrange them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from explorer.figures.theme import ACCENT, CONTRAST, LIGHT, SCALE, template
from explorer.reproduce.drawing import Array

__all__ = ["MODEL", "REAL", "TRUTH", "Cell", "Grid", "shades", "translucent"]

REAL, MODEL = ACCENT, CONTRAST
"""The colours of P and of Q."""
TRUTH = "#7b8494"
"""What is known exactly stands in a quiet grey that shows on both backgrounds."""


def shades(count: int) -> list[str]:
    """``count`` colours of the scale, evenly spread, for families that are ordered by a number."""
    return [SCALE[round(i * (len(SCALE) - 1) / max(1, count - 1))] for i in range(count)]


def translucent(colour: str, opacity: float) -> str:
    """A colour ``#rrggbb`` that lets through what lies below."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity:g})"


class Grid:
    """A figure of small pictures with a title each; ``cell`` gives one of them to draw in."""

    def __init__(
        self,
        titles: Sequence[str],
        rows: int = 1,
        height: int = 380,
        widths: Sequence[float] | None = None,
        gap: float = 0.08,
        legend: bool = True,
    ) -> None:
        self._columns = -(-len(titles) // rows)
        self._named: set[str] = set()
        self.figure = make_subplots(
            rows,
            self._columns,
            subplot_titles=list(titles),
            horizontal_spacing=gap,
            vertical_spacing=0.16 if rows > 1 else 0,
            column_widths=None if widths is None else list(widths),
        )
        self.figure.update_annotations(font={"size": 13})
        self.figure.update_layout(
            template=template(LIGHT),
            height=height,
            margin={"t": 36, "l": 52, "r": 12, "b": 86 if legend else 50},
            bargap=0.12,
            bargroupgap=0.04,
            showlegend=legend,
            legend={"orientation": "h", "x": 0, "yref": "container", "y": 0.01, "yanchor": "bottom"},
        )

    def cell(self, index: int) -> Cell:
        """The picture of that index, row by row."""
        return Cell(self, index // self._columns + 1, index % self._columns + 1)

    def first_of(self, name: str) -> bool:
        """Whether no trace of that name was drawn yet: a name stands in the legend once."""
        new = name not in self._named
        self._named.add(name)
        return new


@dataclass(frozen=True, eq=False)
class Cell:
    """One of the small pictures."""

    grid: Grid
    row: int
    column: int

    def add(self, trace: Any, legend: bool = True) -> None:
        """Draw a trace here; traces of one name share their line in the legend."""
        shown = legend and trace.name is not None and self.grid.first_of(trace.name)
        trace.update(showlegend=shown, legendgroup=trace.name)
        self.grid.figure.add_trace(trace, row=self.row, col=self.column)

    def line(
        self,
        x: Array,
        y: Array,
        name: str,
        colour: str,
        *,
        dash: str = "solid",
        width: float = 2.2,
        legend: bool = True,
        **more: Any,
    ) -> None:
        """A curve through the points x (n,), y (n,)."""
        style = {"color": colour, "dash": dash, "width": width}
        self.add(
            go.Scatter(x=np.round(x, 5), y=np.round(y, 5), name=name, mode="lines", line=style, **more),
            legend,
        )

    def density(self, x: Array, y: Array, name: str, colour: str, *, legend: bool = True) -> None:
        """A density as a filled shape."""
        self.line(
            x,
            y,
            name,
            colour,
            width=1.6,
            legend=legend,
            fill="tozeroy",
            fillcolor=translucent(colour, 0.22),
            hoverinfo="skip",
        )

    def point(
        self,
        at: tuple[float, float],
        name: str,
        colour: str,
        *,
        symbol: str = "circle",
        text: str | None = None,
        beside: str = "top right",
        legend: bool = True,
    ) -> None:
        """A marked point (x, y); ``text``, if given, stands ``beside`` it."""
        self.add(
            go.Scatter(
                x=[at[0]],
                y=[at[1]],
                name=name,
                mode="markers" if text is None else "markers+text",
                text=None if text is None else [text],
                textposition=beside,
                textfont={"size": 14},
                marker={"color": colour, "size": 10, "symbol": symbol, "line": {"width": 1.2}},
                hovertemplate="%{x:.3f}, %{y:.3f}<extra>" + name + "</extra>",
            ),
            legend,
        )

    def dots(self, x: Array, y: Array, name: str, colour: str, *, legend: bool = True) -> None:
        """Points x (n,), y (n,) that a curve should go through."""
        marker = {"color": colour, "size": 7, "line": {"width": 1}}
        points = go.Scatter(x=np.round(x, 5), y=np.round(y, 5), name=name, mode="markers", marker=marker)
        self.add(points, legend)

    def bars(self, laws: Mapping[str, tuple[Array, str]]) -> None:
        """Laws on 1…n as bars beside each other: by name the masses (n,) and the colour."""
        for name, (masses, colour) in laws.items():
            self.add(
                go.Bar(
                    x=np.arange(1, len(masses) + 1),
                    y=np.round(masses, 5),
                    name=name,
                    marker={"color": translucent(colour, 0.75), "line": {"width": 0}},
                    offsetgroup=name,
                    hovertemplate="state %{x}: %{y:.3f}<extra>" + name + "</extra>",
                )
            )

    def set_below(self, precision: Array, recall: Array, name: str, colour: str) -> None:
        """The pairs of precision and recall that a curve leaves attainable: all below it, to both axes."""
        order = np.lexsort((-recall, precision))
        x, y = precision[order], recall[order]
        self.line(
            np.concatenate([[0.0], x, [x[-1]]]),
            np.concatenate([[y[0]], y, [0.0]]),
            name,
            colour,
            fill="tozeroy",
            fillcolor=translucent(colour, 0.16),
        )

    def unit_square(
        self, x_title: str = "precision", y_title: str | None = "recall", dtick: float = 0.5
    ) -> None:
        """Axes of a PR curve: precision across, recall up, both in [0, 1]."""
        self.axes({"range": [-0.03, 1.07], "dtick": dtick, "title": {"text": x_title}},
                  {"range": [-0.03, 1.07], "dtick": dtick, "title": {"text": y_title}})  # fmt: skip

    def equal_scales(self) -> None:
        """A step across is as long as a step up: shapes keep their form."""
        name = self.grid.figure.get_subplot(self.row, self.column).xaxis.plotly_name
        self.axes({}, {"scaleanchor": name.replace("axis", "")})

    def axes(self, x: Mapping[str, Any], y: Mapping[str, Any]) -> None:
        """The settings of this picture's axes."""
        self.grid.figure.update_xaxes(**x, row=self.row, col=self.column)
        self.grid.figure.update_yaxes(**y, row=self.row, col=self.column)
