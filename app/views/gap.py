"""Fill the gap: a stretch of the front, and the sweep file that tries what lies between."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import streamlit as st
import yaml

from app import saving
from app.controls import begin_at, control
from app.scene import Scene
from app.style import markdown_safe
from app.views.commands import sweep_options
from app.views.pieces import show
from app.views.sweep_file import document
from app.wishes import wish
from explorer.errors import UserError
from explorer.followup import FrontLine, fill, front_line, gap_to_fill
from explorer.html import tag
from explorer.results.naming import number

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

__all__ = ["gap_view"]

POINTS, MOST = 8, 100
"""How many configurations fill a gap at first, and at most."""
STEPS = 200
"""Places of the slider."""


def gap_view(scene: Scene) -> None:
    """A slider over the front along a metric, the follow-up's YAML, its download and the commands."""
    columns, table = scene.columns, scene.columns.table
    lead = (
        "Choose a stretch of the front: a follow-up sweep tries what lies between its configurations there."
    )
    show(tag("div", tag("h2", "Fill the gap", class_="tx-head"), tag("p", lead, class_="tx-lead")))
    goals = [goal.metric for goal in table.goals if goal.metric in columns.metric_names(scene.at)]
    left, middle, right = st.columns([1, 2.4, 1], gap="large", vertical_alignment="bottom")
    along = next((name for name in (scene.view.along, "recall", *goals) if name in goals), None)

    def go_along(chosen: str) -> None:
        wish(scene.label, along=chosen, stretch=None)

    left.selectbox(
        "Along",
        goals,
        begin_at(goals, along),
        format_func=table.title,
        **control(scene.label, "along", along, go_along),
    )
    line = None if along is None else front_line(columns, along, scene.at)
    text = document(scene.uri, scene.info.name, scene.info.experiment_id)
    try:
        gap = None if line is None else gap_to_fill(columns, text, line.along, POINTS, scene.at)
        if line is None or gap is None:
            told = "The front has no gap yet: it takes two configurations on it that differ."
            show(tag("p", told, class_="tx-hint"))
            return
        stretch = _stretch(scene, middle, line, gap)
        points = min(scene.view.points or POINTS, MOST)
        right.number_input("Points", 1, MOST, points, **control(scene.label, "points", points))
        found = fill(columns, text, stretch[0], stretch[1], line.along, points, scene.at)
    except UserError as error:
        st.info(markdown_safe(str(error), 400))
        return
    _offered(scene, line.along, stretch, points, found)


def _stretch(
    scene: Scene, place: DeltaGenerator, line: FrontLine, gap: tuple[float, float]
) -> tuple[float, float]:
    """Two ends on the front's range; the gap to fill until the reader moves them."""
    values = line.on_front
    low, high = gap if scene.view.stretch is None else scene.view.stretch
    low, high = max(low, values[0]), min(high, values[-1])
    if not low < high:  # of a link to a front that has moved since
        low, high = gap
    place.slider(
        f"From … to, {markdown_safe(scene.columns.table.title_in_text(line.along))}",
        values[0],
        values[-1],
        (low, high),
        step=(values[-1] - values[0]) / STEPS,
        format="%.3g",
        help="It begins at the widest gap between two neighbours on the front in which something can be tried.",
        **control(scene.label, "stretch", (low, high)),
    )
    return low, high


def _offered(scene: Scene, along: str, stretch: tuple[float, float], points: int, text: str) -> None:
    name = str(yaml.safe_load(text)["name"])
    file = f"{name}.yaml"
    budget = f" --budget {number(scene.at.budget)} --method {scene.at.method}" if scene.at.budget != 1 else ""
    ends = f"--from {stretch[0]:.6g} --to {stretch[1]:.6g}"
    written = (
        f"tradeoff fill {shlex.quote(scene.info.name)}{sweep_options(scene)} {ends} --along {shlex.quote(along)} "
        f"--points {points}{budget} --out {shlex.quote(file)}\n"
    )
    # The command knows the sweep's own objectives alone; under others the file is to be downloaded.
    command = f"{'' if scene.view.goals else written}tradeoff sweep {shlex.quote(file)}"
    told = (
        "Download the file and run it:"
        if scene.view.goals
        else "Run it with the file, or have the command write it:"
    )
    left, right = st.columns([1.4, 1], gap="large")
    saving.keep(tag("div", tag("p", told, class_="tx-lead"), tag("pre", command), tag("pre", text)))
    with left:
        st.code(text, language="yaml", height=360, wrap_lines=True)
    with right:
        st.html(tag("p", told, class_="tx-lead"))
        st.code(command, language="bash", wrap_lines=True)
        st.download_button(
            "Download the sweep file",
            text,
            file,
            "application/yaml",
            key=f"{scene.label}|gap file",
            on_click="ignore",
        )
