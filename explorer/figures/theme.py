"""One calm look for every figure, in light and in dark.

Figures name no text, grid or background colour of their own: those live in two templates, so a finished
figure changes from light to dark by swapping ``layout.template``. What a trace does name is legible on both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import plotly.graph_objects as go

__all__ = [
    "ACCENT",
    "CATEGORIES",
    "CONTRAST",
    "DARK",
    "FONT",
    "LIGHT",
    "NEUTRAL",
    "SCALE",
    "Palette",
    "template",
    "themed",
]

FONT = '"Source Sans", Inter, "Segoe UI", "Helvetica Neue", Arial, "Liberation Sans", sans-serif'

ACCENT = "#3b7dd8"
CONTRAST = "#e07a2f"
NEUTRAL = "rgba(128, 138, 155, 0.55)"

SCALE = ("#414487", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70", "#7ad151", "#bddf26")
"""Viridis (van der Walt and Smith, 2015) without its ends, which vanish on black or white; dark is better."""

CATEGORIES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c8c", "#b8a800")
"""Okabe and Ito (2008), black and yellow replaced by tones that show on both backgrounds."""


@dataclass(frozen=True)
class Palette:
    """Colours that depend on the background."""

    name: str
    background: str
    surface: str
    text: str
    muted: str
    grid: str
    axis: str


LIGHT = Palette("light", "#ffffff", "#f6f7f9", "#1c2430", "#667085", "#eceff3", "#cfd5de")
DARK = Palette("dark", "#11151c", "#191f29", "#e8ecf2", "#98a2b3", "#232b37", "#3a4554")


@cache
def template(palette: Palette) -> go.layout.Template:
    """The plotly template of a palette: quiet grid, no frame, generous margins. One for all; figures copy it."""
    axis = {
        "gridcolor": palette.grid,
        "linecolor": palette.axis,
        "zeroline": False,
        "showline": True,
        "ticks": "outside",
        "ticklen": 5,
        "tickcolor": palette.axis,
        "tickfont": {"size": 12, "color": palette.muted},
        "title": {"font": {"size": 13, "color": palette.text}, "standoff": 12},
    }
    solid = {key: value for key, value in axis.items() if key not in ("ticklen", "title")}
    solid |= {
        "gridcolor": palette.axis,
        "backgroundcolor": "rgba(0, 0, 0, 0)",
        "title": {"font": {"size": 13, "color": palette.text}},
    }
    layout = {
        "font": {"family": FONT, "size": 13, "color": palette.text},
        "paper_bgcolor": "rgba(0, 0, 0, 0)",
        "plot_bgcolor": "rgba(0, 0, 0, 0)",
        "colorway": list(CATEGORIES),
        "xaxis": axis,
        "yaxis": axis,
        "title": {
            "x": 0,
            "xref": "container",
            "pad": {"l": 6},
            "xanchor": "left",
            "yref": "container",
            "y": 0.97,
            "yanchor": "top",
            "font": {"size": 17, "color": palette.text, "weight": 600},
            "subtitle": {"font": {"size": 13, "color": palette.muted, "weight": 400}},
        },
        "hoverlabel": {
            "bgcolor": palette.surface,
            "bordercolor": palette.axis,
            "align": "left",
            "font": {"family": FONT, "size": 12, "color": palette.text},
        },
        "legend": {
            "font": {"size": 12, "color": palette.muted},
            "bgcolor": "rgba(0, 0, 0, 0)",
            "title": {"font": {"size": 12}},
        },
        "scene": {"xaxis": solid, "yaxis": solid, "zaxis": solid, "dragmode": "turntable"},
        "margin": {"l": 64, "r": 24, "t": 76, "b": 56},
        "hovermode": "closest",
        "dragmode": "pan",
    }
    marker = {"line": {"color": palette.background}}
    data = {kind: [{"type": kind, "marker": marker}] for kind in ("scatter", "scattergl")}
    return go.layout.Template(layout=layout, data=data)


def themed(figure: go.Figure, palette: Palette) -> go.Figure:
    """The same figure, changed to suit the given background."""
    figure.layout.template = template(palette)
    return figure
