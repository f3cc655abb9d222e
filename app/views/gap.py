"""Fill the gap: a stretch of the front, and the sweep file that tries what lies between."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import streamlit as st
import yaml

from app.scene import Scene
from app.style import markdown_safe
from app.views.commands import sweep_options
from app.views.sweep_file import document
from explorer.errors import UserError
from explorer.followup import FrontLine, fill, front_line, gap_to_fill
from explorer.html import tag
from explorer.results.naming import number

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

__all__ = ["gap_view"]

POINTS = 8
STEPS = 200
"""Places of the slider."""


def gap_view(scene: Scene) -> None:
    """A slider over the front along a metric, the follow-up's YAML, its download and the commands."""
    columns, table = scene.columns, scene.columns.table
    lead = (
        "Choose a stretch of the front: a follow-up sweep tries what lies between its configurations there."
    )
    st.html(tag("div", tag("h2", "Fill the gap", class_="tx-head"), tag("p", lead, class_="tx-lead")))
    goals = [goal.metric for goal in table.goals if goal.metric in columns.metric_names(scene.at)]
    left, middle, right = st.columns([1, 2.4, 1], gap="large", vertical_alignment="bottom")
    start = goals.index("recall") if "recall" in goals else 0
    along = left.selectbox("Along", goals, start, format_func=table.title, key=f"{scene.label}|gap along")
    line = None if along is None else front_line(columns, along, scene.at)
    text = document(scene.uri, scene.info.name, scene.info.experiment_id)
    try:
        gap = None if line is None else gap_to_fill(columns, text, line.along, POINTS, scene.at)
        if line is None or gap is None:
            told = "The front has no gap yet: it takes two configurations on it that differ."
            st.html(tag("p", told, class_="tx-hint"))
            return
        stretch = _stretch(scene, middle, line, gap)
        points = right.number_input("Points", 1, 100, POINTS, key=f"{scene.label}|gap points")
        found = fill(columns, text, stretch[0], stretch[1], line.along, int(points), scene.at)
    except UserError as error:
        st.info(markdown_safe(str(error), 400))
        return
    _offered(scene, line.along, stretch, int(points), found)


def _stretch(
    scene: Scene, place: DeltaGenerator, line: FrontLine, gap: tuple[float, float]
) -> tuple[float, float]:
    """Two ends on the front's range; the gap to fill until the reader moves them."""
    values = line.on_front
    step = (values[-1] - values[0]) / STEPS
    low, high = place.slider(
        f"From … to, {markdown_safe(scene.columns.table.title_in_text(line.along))}",
        values[0],
        values[-1],
        gap,
        step=step,
        format="%.3g",
        help="It begins at the widest gap between two neighbours on the front in which something can be tried.",
        key=f"{scene.label}|gap {line.along} {scene.at.text()}",
    )
    return float(low), float(high)


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
    with left:
        st.code(text, language="yaml", height=360)
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
