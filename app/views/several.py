"""Three objectives in space, or any number side by side, and their files."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from app import saving
from app.export import file_stem
from app.scene import Scene
from app.style import PLOT_CONFIG, palette
from explorer.figures.front_marks import Marks
from explorer.figures.spaces import parallel_figure, space_figure
from explorer.figures.theme import themed
from explorer.html import tag
from explorer.html.page import Page
from explorer.pareto.csv import harmless

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["several"]


def several(scene: Scene, marks: Marks) -> None:
    """The figure, and its files, each made when it is asked for; its picture is behind the camera above it."""
    columns, at, view = scene.columns, scene.at, scene.view
    if view.space == "space":
        axes = columns.axis_names(at)
        rest = [
            name for name in (view.z, scene.colour, *axes) if name in axes and name not in (scene.x, scene.y)
        ]
        depth = str(rest[0]) if rest else scene.x
        names = [scene.x, scene.y, depth]
        figure = space_figure(columns, scene.shown, scene.x, scene.y, depth, scene.colour, at, marks.seeds)
    else:
        goals = [goal.metric for goal in columns.table.goals]
        names = [*goals, *(path for path in columns.varying if path != "seed" and columns.is_numeric(path))]
        figure = parallel_figure(columns, scene.shown, names, scene.colour, at, marks.seeds)
    st.plotly_chart(themed(figure, palette()), theme=None, key="space", config=PLOT_CONFIG)
    saving.keep(figure, "space")
    stem = f"{file_stem(scene.label)}-{view.space}"
    made: dict[str, tuple[Any, str]] = {
        "HTML": (partial(_html, figure, scene.label), "text/html"),
        "CSV": (partial(_csv, marks, names), "text/csv"),
        "JSON": (partial(_json, figure), "application/json"),
    }
    with st.container(key="figure-files", horizontal=True):
        for kind, (content, mime) in made.items():
            st.download_button(
                f"Figure as {kind}",
                content,
                f"{stem}.{kind.lower()}",
                mime,
                key=f"figure {kind}",
                type="tertiary",
                icon=":material/download:",
                on_click="ignore",
            )


def _html(figure: go.Figure, title: str) -> str:
    """One file that turns and zooms without a network."""
    page = Page(title)
    page.add(tag("h1", title), page.figure(figure))
    return page.html()


def _json(figure: go.Figure) -> str:
    """As Plotly reads it."""
    return str(figure.to_json())


def _csv(marks: Marks, names: Sequence[str]) -> str:
    """A row per point: its name, its trial, whether it is on the front, and the columns that are drawn. O(points)."""
    names = list(dict.fromkeys(names))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(harmless, ["name", "trial", "seeds", "front", *names]))
    values = [marks.of(name) for name in names]
    for i, name in enumerate(marks.names()):
        drawn = [float(column[i]) for column in values]
        lead = [harmless(name), marks.columns.ids[marks.row[i]], int(marks.count[i]), bool(marks.front[i])]
        writer.writerow([*lead, *("" if value != value else value for value in drawn)])
    return out.getvalue()
